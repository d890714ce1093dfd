"""Reads products.txt and writes the shop's database. Same input, same bytes: every choice is drawn from a seed made of names."""
import datetime
import hashlib
import html
import pathlib
import re
import sqlite3
import unicodedata

import words as W

HERE = pathlib.Path(__file__).parent

# key: (name, parent, description, colour)
CATEGORIES = {
    "spirits": ("Spirits", None, "Everything that has been through a still, from island malts to a plum brandy made in a kitchen.", "#c98a3a"),
    "wine": ("Wine", None, "Bottles from people who prune their own vines, arranged by what you feel like drinking.", "#7d2638"),
    "beercider": ("Beer & cider", None, "Cold, fresh and mostly from within a day's drive of whoever made it.", "#c9932b"),
    "rice": ("Sake & rice spirits", None, "Brewed and distilled from rice, and a few neighbours made from plums, potatoes and barley.", "#9db9d6"),
    "free": ("Alcohol-free", None, "Grown-up drinks for the early shift, the driver and the merely sensible.", "#7f9c6b"),
    "picks": ("Picks", None, "Short lists drawn up by the people behind the counter.", "#b5663c"),
    "whisky": ("Whisky", "spirits", "Malts, blends, rye and the rest of the world.", "#c98a3a"),
    "gin": ("Gin & aquavit", "spirits", "Juniper first, and then whatever grows nearby.", "#9cc0bd"),
    "rum": ("Rum", "spirits", "Cane in three moods: grassy, aged and dangerous.", "#b8672b"),
    "agave": ("Agave", "spirits", "Mezcal and tequila without additives.", "#8fb3a2"),
    "brandy": ("Brandy & fruit spirits", "spirits", "Grapes, apples, cherries and pears, with their water taken away.", "#b5702f"),
    "vermbit": ("Vermouth & liqueurs", "spirits", "Aperitifs, bitters and sweet things for the end of the evening.", "#8e2f2a"),
    "malt": ("Single malt", "whisky", "One distillery, malted barley, a pot still and patience.", "#c98a3a"),
    "blend": ("Blended & grain", "whisky", "The art of making several casks agree.", "#d3a04c"),
    "rye": ("Bourbon & rye", "whisky", "Corn, rye and new oak from Kentucky.", "#a8521f"),
    "world": ("World whisky", "whisky", "Japan, Ireland and other places that took the idea and ran.", "#d9b45f"),
    "london": ("London dry", "gin", "Everything through the still, nothing added but water.", "#b5d3d1"),
    "ginnew": ("Contemporary & aquavit", "gin", "Gorse, spruce, tea and caraway.", "#9fc0a8"),
    "sloe": ("Old Tom & sloe", "gin", "The sweeter side of juniper.", "#7a2f4a"),
    "agricole": ("Agricole", "rum", "Made of fresh cane juice, and tastes like it.", "#c7d3a0"),
    "agedrum": ("Aged rum", "rum", "Years in the heat, and a few spices.", "#a8521f"),
    "whiterum": ("White & overproof", "rum", "Clear, and not to be underestimated.", "#d5dccb"),
    "mezcal": ("Mezcal", "agave", "Pit-roasted, village-made, different each week.", "#a9c4b6"),
    "tequila": ("Tequila", "agave", "Blue agave from the red hills of Jalisco.", "#c9b46a"),
    "cognac": ("Cognac & Armagnac", "brandy", "Distilled wine in its two great dialects.", "#b5702f"),
    "calva": ("Calvados & apple brandy", "brandy", "Orchards in a glass, with a few years of oak.", "#c98a3a"),
    "eau": ("Eaux-de-vie", "brandy", "Clear fruit spirits, twice as scented as the fruit.", "#d8d3c3"),
    "vermouth": ("Vermouth", "vermbit", "Wine, herbs and a reason to sit down at eleven.", "#8e2f2a"),
    "bitter": ("Bitters & amari", "vermbit", "For before and after, and for what ails you.", "#6b2a1a"),
    "liqueur": ("Liqueurs", "vermbit", "Fruit, nuts and honey, kept in order by good spirit.", "#8d5a7a"),
    "sparkling": ("Sparkling", "wine", "Champagne, England and other good news.", "#dcc98a"),
    "whitew": ("White", "wine", "From slate-sharp to barrel-kissed.", "#d6d58f"),
    "redw": ("Red", "wine", "Light, dark, young and improbably old.", "#7d2638"),
    "pinkw": ("Rosé & amber", "wine", "Pink for lunch, amber for supper.", "#e08f7f"),
    "sweetw": ("Fortified & sweet", "wine", "Port, sherry and the wines that come with pudding.", "#8a4a2a"),
    "champagne": ("Champagne", "sparkling", "A grower's wines, from everyday brut to a walled garden.", "#dcc98a"),
    "english": ("English sparkling", "sparkling", "Chalk, cold springs and crisp apples.", "#d9d29a"),
    "petnat": ("Pét-nat, crémant & Sekt", "sparkling", "Bubbles with less ceremony.", "#e2d6a4"),
    "riesling": ("Riesling", "whitew", "Dry, off-dry and honeyed.", "#c9cf78"),
    "chardonnay": ("Chardonnay", "whitew", "Butter where it helps, stone where it counts.", "#dcc777"),
    "whites": ("Other whites", "whitew", "Aligoté, arneis, bacchus and friends.", "#dbdc9c"),
    "bordeaux": ("Bordeaux", "redw", "Gravel, cabernet and a leaking tower.", "#6d1f2b"),
    "pinot": ("Pinot noir", "redw", "Burgundy and its cousins abroad.", "#97404a"),
    "rhone": ("Rhône", "redw", "Sun, stones and pepper.", "#5f1d33"),
    "italian": ("Italy & the Caucasus", "redw", "Nebbiolo, barbera, saperavi.", "#83333a"),
    "spanish": ("Spain & Portugal", "redw", "Tempranillo and the Douro, with and without the wait.", "#7a2a2f"),
    "rose": ("Rosé", "pinkw", "Pale, pink and less pale.", "#eaa79b"),
    "orangew": ("Amber wine", "pinkw", "White grapes, fermented on their skins in clay.", "#d18a3c"),
    "port": ("Port", "sweetw", "Ruby, tawny and white.", "#5e1a2b"),
    "sherry": ("Sherry", "sweetw", "The driest and the sweetest wines we sell.", "#c58f45"),
    "sweet": ("Sweet wine", "sweetw", "A small glass for the end.", "#d9a23c"),
    "ales": ("Ale & stout", "beercider", "Top-fermented, from mild to imperial.", "#9b5a23"),
    "lagers": ("Lager", "beercider", "Bottom-fermented and properly cold-stored.", "#d9ad3c"),
    "sours": ("Sour & wild", "beercider", "Spontaneous fermentation and fruit.", "#c46a4a"),
    "orchard": ("Cider & perry", "beercider", "Apples and pears, pressed once.", "#c9a03a"),
    "pale": ("Pale & bitter", "ales", "The daily round.", "#d09a3a"),
    "ipa": ("IPA", "ales", "Hops, and some more hops.", "#d9a53c"),
    "stout": ("Stout & mild", "ales", "Dark, from light to enormous.", "#3d2418"),
    "lagerb": ("Franconian lager", "lagers", "From one village brewery with good benches.", "#d9b14a"),
    "sour": ("Geuze & fruit sours", "sours", "Blended from old barrels, or soured with rhubarb.", "#c4563f"),
    "cider": ("Cider", "orchard", "From bone dry to keeved.", "#c9952f"),
    "perry": ("Perry", "orchard", "Old pears, fine bubbles.", "#d3c36d"),
    "sakes": ("Sake", "rice", "Brewed in winter in Niigata.", "#a9c3d9"),
    "spiritsr": ("Shōchū & soju", "rice", "Distilled in Kagoshima and Andong.", "#b0aa9c"),
    "junmai": ("Junmai", "sakes", "Rice, water, kōji, and that is all.", "#b9c9d6"),
    "ginjo": ("Ginjō & daiginjō", "sakes", "More polish, more perfume.", "#9db9d6"),
    "nigori": ("Nigori, sparkling & umeshu", "sakes", "Cloudy, fizzy and plummy.", "#dfe3e0"),
    "shochu": ("Shōchū", "spiritsr", "Sweet potato, barley and brown sugar.", "#8b7d6b"),
    "soju": ("Soju & makgeolli", "spiritsr", "Korean rice in its clear and cloudy forms.", "#cfd6cf"),
    "afspirit": ("Botanical & aperitif", "free", "For tonic, spritzes and the bitter hour.", "#8fae78"),
    "afbrew": ("Beer & wine", "free", "Brewed or fermented, then relieved of the alcohol.", "#b9c27a"),
    "afbot": ("Botanical", "afspirit", "Distilled without the spirit.", "#8fae78"),
    "afap": ("Aperitifs & shrubs", "afspirit", "Bitter, sour and red.", "#c9563f"),
    "afbeer": ("Alcohol-free beer", "afbrew", "Half a per cent at most.", "#d9b14a"),
    "afwine": ("Alcohol-free wine & tea", "afbrew", "With bubbles, or without.", "#cfc97f"),
    "staff": ("Staff choice", "picks", "What we take home, one bottle from most of our makers.", "#b5663c"),
    "under30": ("Under £30", "picks", "Good drinking that leaves change.", "#a58a4a"),
    "big": ("Big bottles", "picks", "Magnums and beyond, for long tables.", "#6d3a4a"),
}
ART_OF = {"spirits": "Balmorrow 12 Year Old", "wine": "Perrault-Guyard Volnay 2019", "beercider": "Cinder Row Viaduct Pale", "rice": "Fuyukawa Daiginjō Yukimuro 雪室",
          "free": "Quiet Hedge No. 1 Garden", "picks": "Hurtebise-Colin Magnum Brut Tradition", "whisky": "Glen Tarrish 15 Year Old Oloroso", "gin": "Trevannick Coastal Dry Gin", "rum": "Morne Cassis Vieux V.S.O.P.",
          "agave": "Luna Seca Espadín", "brandy": "Delacroze XO Grande Champagne", "vermbit": "Orpí Vermut Rojo", "sparkling": "Hurtebise-Colin Brut Tradition", "whitew": "Drosselberg Riesling Kabinett 2022", "redw": "Roverana Barolo 2018",
          "pinkw": "Mas des Cigalous Rosé 2024", "sweetw": "Vela Torta 20 Year Old Tawny", "ales": "Cinder Row Soot Stout", "lagers": "Spitalwirt Pils", "sours": "Drie Spreeuwen Oude Geuze", "orchard": "Hallowfield Keeved Sweet",
          "sakes": "Fuyukawa Junmai 冬川 純米", "spiritsr": "Kirishima-dani Imo Black 黒麹", "afspirit": "Quiet Hedge Bitter Orange Aperitivo", "afbrew": "Cinder Row Signal Box 0.5", "staff": "Portnahallan 10 Year Old", "under30": "Orpí Vermut Blanco", "big": "Château Marquezac 2016 Magnum"}

FAMILY = {"malt": "whisky", "blend": "whisky", "rye": "whisky", "world": "whisky", "london": "gin", "ginnew": "gin", "sloe": "gin", "agricole": "rum", "agedrum": "rum", "whiterum": "rum",
          "mezcal": "agave", "tequila": "agave", "cognac": "brandy", "calva": "brandy", "eau": "brandy", "vermouth": "bitter", "bitter": "bitter", "liqueur": "bitter",
          "champagne": "sparkling", "english": "sparkling", "petnat": "sparkling", "riesling": "white", "chardonnay": "white", "whites": "white", "rose": "white", "orangew": "white",
          "bordeaux": "red", "pinot": "red", "rhone": "red", "italian": "red", "spanish": "red", "port": "fortified", "sherry": "fortified", "sweet": "fortified",
          "pale": "beer", "ipa": "beer", "stout": "beer", "lagerb": "beer", "sour": "beer", "cider": "cider", "perry": "cider", "junmai": "sake", "ginjo": "sake", "nigori": "sake", "shochu": "sake", "soju": "sake",
          "afbot": "free", "afap": "free", "afbeer": "free", "afwine": "free"}

TINT = {"amber": "#c98a3a", "gold": "#d9a441", "straw": "#dcc777", "pale": "#d6d9a0", "clear": "#b9cfc9", "redwine": "#7d2638", "rose": "#e79c8e", "cola": "#6b3320", "red": "#b8352b", "plum": "#6e2748",
        "orange": "#d98a2f", "blush": "#e6aaa0", "cloudy": "#d9d4b8", "copper": "#b8672b", "mahogany": "#8a3a1a", "black": "#4a2c1e", "green": "#8fae78", "ice": "#a3c1d6"}
LIQUID = {"peat": "straw", "island": "gold", "sherry": "mahogany", "bourbon": "amber", "blend": "gold", "grain": "gold", "japan": "gold", "highball": "gold", "irish": "amber", "newmake": "clear", "bbn": "copper", "rye": "copper",
          "ginsea": "clear", "gincity": "clear", "ginspice": "clear", "ginnord": "ice", "ginflower": "clear", "agricole": "clear", "agrold": "amber", "jamaica": "copper", "ronaged": "mahogany", "whiterum": "clear", "spicedrum": "amber", "mezcal": "clear", "tequila": "clear",
          "cognac": "copper", "armagnac": "mahogany", "calva": "amber", "vermred": "cola", "amaro": "cola", "champ": "gold", "engsp": "straw", "petnat": "cloudy", "riesdry": "pale", "riessweet": "straw", "bdx": "redwine", "pinot": "redwine", "otago": "redwine", "rhone": "redwine", "nebb": "redwine", "rioja": "redwine",
          "port": "redwine", "tawny": "copper", "fino": "straw", "orange": "orange", "ale": "gold", "ipa": "gold", "stout": "black", "lager": "gold", "weizen": "gold", "smokebeer": "copper", "gueuze": "gold", "sourb": "blush", "cider": "amber", "perry": "pale",
          "junmai": "pale", "ginjo": "ice", "nigori": "cloudy", "imo": "clear", "mugi": "clear", "soju": "ice", "afbot": "green", "afbeer": "gold", "bitterred": "red"}
FOOD = {"whisky": ["Dark chocolate", "Hard cheese", "Smoked fish", "Oatcakes"], "gin": ["Oysters", "Olives", "Smoked fish"], "rum": ["Grilled pineapple", "Dark chocolate", "Jerk chicken"], "agave": ["Ceviche", "Grilled corn", "Orange slices"],
        "brandy": ["Blue cheese", "Apple tart", "Dark chocolate", "Nuts"], "bitter": ["Olives", "Salted almonds", "Anchovies"], "red": ["Roast lamb", "Mushrooms", "Hard cheese", "Game", "Charcuterie", "Lentils"], "white": ["Shellfish", "Roast chicken", "Goat's cheese", "Spicy food", "Oysters"],
        "sparkling": ["Oysters", "Fried chicken", "Aperitif", "Shellfish"], "fortified": ["Blue cheese", "Nuts", "Dark chocolate", "Salted almonds"], "beer": ["Pies", "Hard cheese", "Sausages", "Mussels"], "cider": ["Roast pork", "Hard cheese", "Pancakes"],
        "sake": ["Grilled fish", "Sushi", "Tempura", "Spicy food"], "highball": ["Tempura", "Picnics", "Fried chicken"], "free": ["Aperitif", "Salads", "Smoked fish", "Picnics"]}
CLOSURE = {"whisky": ["Natural cork stopper", "Natural cork stopper", "Screw cap"], "gin": ["Glass stopper", "Natural cork stopper"], "rum": ["Natural cork stopper", "Screw cap"], "agave": ["Natural cork stopper", "Beeswax over cork"], "brandy": ["Natural cork stopper", "Wax over cork"], "bitter": ["Screw cap"],
           "red": ["Natural cork", "Natural cork", "Screw cap"], "white": ["Screw cap", "Natural cork", "Glass stopper"], "sparkling": ["Cork and wire"], "fortified": ["Bar-top cork"], "beer": ["Crown cap"], "cider": ["Crown cap"], "sake": ["Screw cap"], "highball": ["Can"], "free": ["Screw cap"]}
ALLERGEN = {"red": "Sulphites", "white": "Sulphites", "sparkling": "Sulphites", "fortified": "Sulphites", "beer": "Barley (gluten)", "cider": "Sulphites"}
FACET_OF = {"Casks": "Cask", "Grapes": "Grape", "Botanicals": "Botanical", "Hops": "Hop", "Agave": "Agave", "Rice": "Rice"}
NO_PICTURE = {"Balmorrow 20 Year Old", "Delacroze Lot 74 Brut de Fût", "Luna Seca Pechuga", "Pouygarre Bas-Armagnac 1969", "Hollowdene Magnum Classic Cuvée 2014", "Ballinacloy The Fourth Sister"}
TODAY = "2026-10-30"                     # the day the shop pretends it is


class Dice:
    """Random choices that depend on a name only, not on the order of calls elsewhere nor on Python's generator."""
    def __init__(self, name):
        self.name, self.n = name, 0

    def f(self):
        self.n += 1
        return int.from_bytes(hashlib.sha256(f"{self.name}/{self.n}".encode()).digest()[:6], "big") / 2**48

    def i(self, low, high):
        return low + int(self.f() * (high - low + 1))

    def pick(self, items):
        return items[int(self.f() * len(items))]

    def shuffled(self, items):
        return [x for _, _, x in sorted((self.f(), k, x) for k, x in enumerate(items))]


class Fair:
    """Gives out the least used sentences first, so that neighbours do not share one."""
    def __init__(self, name):
        self.used, self.name = {}, name

    def take(self, items, count, dice):
        order = sorted(((self.used.get(x, 0), dice.f(), k, x) for k, x in enumerate(items)))
        chosen = [x for *_, x in order[:count]]
        for x in chosen:
            self.used[x] = self.used.get(x, 0) + 1
        return chosen


def slug_of(name):
    # Letters without a decomposition; CJK has no place in an address and goes.
    s = name.translate(str.maketrans({"ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Œ": "OE", "№": "no", "đ": "d"}))
    s = unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", s.replace("'", "").replace("&", " and ")).strip("-")


def check_digit(body):
    total = sum(int(c) * (3 if k % 2 == 0 else 1) for k, c in enumerate(reversed(body)))
    return body + str(-total % 10)


def cap(s):
    return s[:1].upper() + s[1:]


def join(items, word="and"):
    items = list(items)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" {word} " + items[-1]


def read():
    makers, products, maker = [], [], None
    for line in (HERE / "products.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("@"):
            key, name, country, region, profile = line[1:].split("|")
            maker = {"key": key, "name": name, "country": country, "region": region, "profile": profile, "house": []}
            makers.append(maker)
        elif line.startswith("> "):
            maker["house"].append(line[2:])
        else:
            name, style, cats, age, vintage, abv, cl, price, facts, summary = line.split("|")
            p = {"id": 101 + len(products), "maker": maker, "name": name, "style": style, "age": age or None, "vintage": int(vintage) if vintage else None, "abv": float(abv), "ml": float(cl) * 10,
                 "price": None if price == "-" else round(float(price) * 100), "summary": summary, "facts": [], "switch": {}}
            for part in filter(None, (x.strip() for x in facts.split(";"))):
                m = re.fullmatch(r"(t|c|L|a|b|f|S|sale)=(.*)", part)
                if m:
                    p["switch"][m[1]] = m[2]
                else:
                    k, v = part.split(": ", 1)
                    p["facts"].append((k, v))
            p["cats"] = [category_of(c, maker) for c in cats.split(",")]
            p["family"] = FAMILY[p["cats"][0]]
            p["profile"] = p["switch"].get("t", maker["profile"])
            if p["profile"] == "highball":
                p["family"] = "highball"
            p["liquid"] = p["switch"].get("c") or in_wood(p, LIQUID.get(p["profile"], "pale"))
            p["slug"] = slug_of(name)
            p["nth"] = sum(q["maker"] is maker for q in products)
            products.append(p)
    return makers, products


LADDER = ["straw", "gold", "amber", "copper", "mahogany"]


def in_wood(p, liquid):
    """Years and sherry darken a spirit; youth and refill casks leave it pale."""
    casks = dict(p["facts"]).get("Casks", "")
    if p["family"] not in ("whisky", "rum", "brandy") or liquid not in LADDER or not casks or p["abv"] < 10:
        return liquid
    step = LADDER.index(liquid)
    age = int(p["age"]) if p["age"] and p["age"].isdigit() else 2022 - p["vintage"] if p["vintage"] else 0
    step += (age >= 20) + (age >= 14 and p["profile"] in ("peat", "cognac")) - (p["age"] == "NAS" and p["profile"] != "agrold")
    step += bool(re.search(r"Oloroso|sherry|Pedro|stout|rum|Madeira|Virgin|Port", casks)) if p["profile"] not in ("sherry", "bbn", "rye", "ronaged") else bool(re.search(r"Pedro", casks))
    step -= p["profile"] == "sherry" and "Bourbon" in casks
    return LADDER[max(0, min(4, step))]


def tint(p):
    """The ground behind the picture: mostly what is in the bottle, a little of what is on its label."""
    import art
    accents = art.H[p["maker"]["key"]][7]
    a, b = TINT[p["liquid"]], accents[p["nth"] % len(accents)][2]
    return "#" + "".join(f"{round(int(a[i:i + 2], 16) * .7 + int(b[i:i + 2], 16) * .3):02x}" for i in (1, 3, 5))


def category_of(c, maker):
    if c == "white":
        return "whiterum" if maker["key"] in ("lorne", "saraba") else "whites"
    return c


def flavours():
    table = {}
    for line in (HERE / "flavours.txt").read_text(encoding="utf-8").splitlines():
        if "|" in line and not line.startswith("#"):
            key, *parts = (x.strip() for x in line.split("|"))
            table[key] = [[w.strip() for w in part.split(";")] for part in parts]
    return table


def slots(p, dice):
    facts = dict(p["facts"])

    # A list's words go small inside a sentence, names of places and people do not.
    def prose(v):
        return join([x if re.search(r" [A-ZÀ-Þ]|^[A-Z0-9][A-Z0-9]|^(Yorkshire|Piedmont|Darjeeling|Williams|Jerusalem|Cognac|Calvados|Jamaican|Schaarbeek|Cortese|Macabeu|Nebbiolo)", x) else x[0].lower() + x[1:] for x in v.split(", ")])
    short = p["name"]
    first = p["maker"]["name"].split()[0]
    for lead in (p["maker"]["name"], *[w for w in LEADS if short.startswith(w)], first):
        if short.startswith(lead + " ") and not short[len(lead) + 1:][:1].isdigit():
            short = short[len(lead) + 1:]
            break
    s = {"short": short, "Short": cap(short), "region": p["maker"]["region"].split(",")[0], "abv": f"{p['abv']:g}", "hours": dice.i(58, 124), "weeks": dice.i(3, 11) if p["family"] in ("whisky", "white", "free") else dice.i(14, 40), "days": dice.i(3, 6), "hours2": dice.i(24, 41)}
    for slot, key in {"casks": "Casks", "raw": "Raw materials", "grapes": "Grapes", "botanicals": "Botanicals", "ingredients": "Ingredients", "hops": "Hops", "malts": "Malts", "fruit": "Fruit", "apples": "Apples", "pears": "Pears", "rice": "Rice", "agave": "Agave", "polish": "Polishing", "sugar": "Residual sugar", "dosage": "Dosage", "outturn": "Outturn"}.items():
        if key in facts:
            v = facts[key]
            if slot == "casks":
                s[slot] = join([c if re.search(r" [A-Z]|^(French|American|Limousin|Slavonian|Gascon|Jamaican|Norwegian|Cornish|Madeira|Sauternes)", c) else c[0].lower() + c[1:] for c in v.split(", ")]) + (" casks" if not re.search(r"oak|foeders|pipes|butts|hogshead|cask$", v.split(", ")[-1], re.I) else "")
            elif slot in ("grapes", "hops", "apples", "pears", "rice", "agave"):
                s[slot] = join(v.split(", "))
            else:
                s[slot] = prose(v)
    if "Solera" in facts or p["maker"]["key"] == "aldar":
        s["solera"] = True
    if p["maker"]["key"] == "salgue":
        s["port"] = True
    s.update({k: True for k, yes in {
        "malt": "malt" in p["cats"] or p["style"].startswith("Japanese single"), "still": p["abv"] >= 20, "tonic": p["cats"][0] == "afbot" and "spirit" in p["style"], "vermouth": p["cats"][0] in ("vermouth", "bitter") or p["profile"] in ("vermred", "bitterred"),
        "pressed": p["profile"] != "orange", "lambic": p["maker"]["key"] == "spreeuw"}.items() if yes})
    if p["ml"] >= 750:
        s["bubbles"] = True
    if p["vintage"]:
        s["vintage"] = p["vintage"]
    s["Botanicals"] = cap(s["botanicals"]) if "botanicals" in s else None
    return {k: v for k, v in s.items() if v is not None}


LEADS = ["Portnahallan", "Skarvoe", "Mizuhara", "Pruitt's Ferry", "Trevannick", "Løvstad", "Morne Cassis", "Port Lorne", "Sarabanda", "Luna Seca", "Ocotlero", "Delacroze", "Pouygarre", "Hautbosc", "Hohlacker", "Orpí", "Bressane", "Hurtebise-Colin", "Hollowdene", "Drosselberg",
         "Perrault-Guyard", "Roverana", "Oñaba", "Vela Torta", "Aldarejo", "Tsiskari", "Cinder Row", "Drie Spreeuwen", "Spitalwirt", "Hallowfield", "Fuyukawa", "Kirishima-dani", "Dallae"]


def fits(sentence, s):
    """Every {slot} and every [condition] must be known of this product."""
    return all(k in s for k in re.findall(r"[{\[](\w+)[}\]]", sentence))


def fill(sentence, s):
    return re.sub(r"^\[\w+\]", "", sentence).format(**s)


def note(p, fair, dice):
    """The bottling note as an old shop would hold it: HTML, mostly tidy."""
    s = {k: html.escape(str(v), quote=False) for k, v in slots(p, dice).items()}
    house = p["maker"]["house"]
    if p["nth"] < len(house):
        lead = html.escape(house[p["nth"]], quote=False)
    else:
        lead = fair.take([x for x in W.OPENERS if fits(x, s)], 1, dice)[0].format(**s)
    method = [fill(x, s) for x in fair.take([x for x in W.METHOD[p["family"]] if fits(x, s)], dice.i(2, 4), dice)]
    serve = fill(fair.take([x for x in W.SERVE[p["family"]] if fits(x, s)], 1, dice)[0], s)
    hook = html.escape(p["summary"], quote=False)
    kind = p["id"] % 12
    out = []
    if kind == 5:
        out.append(f'<center><font color="#7a1f1f"><b>{html.escape(p["name"], quote=False)}</b></font></center>')
    m = re.match(r"(.{12,60}?)([,:;] .*|\.$)", hook)
    out.append(f"<p>{lead} <em>{m[1]}</em>{m[2]}</p>" if m and kind % 3 == 0 else f"<p>{lead} {hook}</p>")
    strong = method[0]
    for word in ("casks", "grapes", "outturn", "rice", "agave", "dosage"):
        if word in s and s[word] in strong:
            strong = strong.replace(s[word], f"<strong>{s[word]}</strong>", 1)
            break
    out.append("<p>" + " ".join([strong] + method[1:3]) + "</p>")
    facts = dict(p["facts"])
    table = facts.get("Casks") or facts.get("Grapes") or facts.get("Mash bill")
    if table and kind in (0, 4, 8) and "," in table:
        parts = table.split(", ")
        shares, left = [], 100
        for k in range(len(parts)):
            v = left if k == len(parts) - 1 else max(8, round(left * (0.5 + 0.25 * dice.f())))
            left -= v
            shares.append(v)
        head = "Cask" if "Casks" in facts else "Grape" if "Grapes" in facts else "Grain"
        if head == "Grain":
            cells = [x.split("% ") for x in parts]
            parts, shares = [cap(c[1]) for c in cells], [c[0] for c in cells]
        out.append(f"<table><caption>In this bottling</caption><thead><tr><th>{head}</th><th>Share</th></tr></thead><tbody>" + "".join(f"<tr><td>{html.escape(a, quote=False)}</td><td>{b}%</td></tr>" for a, b in zip(parts, shares)) + "</tbody></table>")
    if kind in (2, 7, 11):
        points = [f"Bottled at {p['abv']:g}%" if p["abv"] > 0.1 else "No alcohol at all", f"{p['ml'] / 10:g} cl, {p['maker']['region'].split(',')[0]}"]
        points += [f"{k}: {v}" for k, v in p["facts"] if k in ("Peat", "Outturn", "Polishing", "Dosage", "Solera", "Residual sugar", "Still", "Skin contact")][:2]
        points.append(cap(serve.rstrip(".")))
        out.append("<ul>" + "".join(f"<li>{html.escape(x, quote=False)}</li>" for x in points) + "</ul>")
    elif kind in (1, 6, 10):
        quote = fair.take(W.QUOTES, 1, dice)[0]
        out.append(f"<blockquote><p>{quote}</p></blockquote>")
        out.append(f"<p>{serve}</p>")
    elif kind in (3, 5, 9):
        out.append("<p>" + " ".join(method[3:] + [serve]) + "</p>")
    else:
        out.append(f"<p>{serve}</p>")
    if kind == 9:                                      # the way the shop's first editor wrote
        out = [x.replace("<p>", '<p class="MsoNormal" style="margin:0cm">').replace("<strong>", "<b>").replace("</strong>", "</b>").replace("<em>", "<i>").replace("</em>", "</i>") for x in out]
        out[-1] = out[-1].replace("</p>", "<br>&nbsp;</p>")
    text = "\n".join(out)
    return html.escape(text, quote=False) if p["id"] % 37 == 9 else text        # escaped once too often, as exports do


def tasting(p, table, fair, dice):
    """(tasting_note, nose, palate, finish); about a quarter of the range has none."""
    kind = dice.f()
    if kind < 0.24 and "f" not in p["switch"]:
        return None, None, None, None
    nose, palate, finish = (dice.shuffled(x) for x in table[p["profile"]])
    def say(templates, w):
        fit = [t for t in templates if len(re.findall(r"\{\w\}", t)) <= len(w)]
        t = fair.take(fit, 1, dice)[0]
        names = dict(zip("abcd", w))
        names.update({k.upper(): cap(v) for k, v in zip("abcd", w)})
        return cap(t.format(**names))
    n, pa, f = say(W.NOSE, nose), say(W.PALATE, palate), say(W.FINISH, finish)
    if kind < 0.66:
        if kind > 0.60:
            f = None
        return None, n, pa, f
    over = fair.take(W.OVERALL, 1, dice)[0]
    year, month = dice.i(2024, 2026), dice.pick(["January", "March", "May", "June", "September"])
    src = fair.take(W.TASTERS, 1, dice)[0].format(when=f"{month} {year}")
    shape = dice.i(0, 3)
    if shape == 0:
        text = f"### Nose\n\n{n}\n\n### Palate\n\n{pa}\n\n### Finish\n\n{f}\n\n*{src}*"
    elif shape == 1:
        text = f"{n} {pa}\n\n**Finish:** {f}\n\n> {over}\n"
    elif shape == 2:
        text = f"- **Nose** – {n}\n- **Palate** – {pa}\n- **Finish** – {f}\n\n{over} *{src}*"
    else:
        text = f"*{over}*\n\n{pa} {f}\n\nIn a word: **{palate[0]}**."
    return text, None, None, None


def review(p, rating, language, table, dice, seen, fair):
    if language != "en":
        titles, bodies, closes = W.FOREIGN[language]
        r = max(2, round(rating))
        body = ""
        for _ in range(8):
            body = " ".join(x for x in (fair.take(bodies[r], 1, dice)[0], dice.pick(closes)) if x) if language != "ja" else fair.take(bodies[r], 1, dice)[0] + dice.pick(closes)
            if body not in seen:
                break
        seen.add(body)
        return r, fair.take(titles[r], 1, dice)[0], body
    nose, palate, finish = table[p["profile"]]
    r = round(rating)
    title = fair.take(W.TITLES[r], 1, dice)[0]
    words = {"n": dice.pick(nose), "p": dice.pick(palate), "f": dice.pick(finish)}
    for _ in range(8):
        start = dice.f()
        if r >= 4 and start < 0.28:
            first = dice.pick(["Bought for {}.", "Opened for {}.", "Saved for {}, and rightly."]).format(dice.pick(W.OCCASION))
        elif r >= 4 and start < 0.5:
            first = dice.pick(["Drank the first glass {}.", "Tried it {}.", "Shared it {}.", "Best enjoyed {}, it turns out."]).format(dice.pick(W.PLACE))
        elif r >= 4 and start < 0.62:
            first = ""
        else:
            first = fair.take(W.OPEN[r], 1, dice)[0]
        middle = dice.pick(W.MIDDLE[r]).format(**words) if first == "" or dice.f() < 0.75 else ""
        middle = cap(middle)
        last = dice.pick(W.CLOSE[r])
        body = " ".join(x for x in (first, middle, last) if x)
        if body not in seen and len(body) > 24:
            break
    seen.add(body)
    extra = dice.f()
    if extra < 0.02:
        body = body.replace(". ", ".\n\n", 1)
    elif extra < 0.035:
        body += " <3"
    elif extra < 0.05:
        body += " 🥃" if p["family"] == "whisky" else " 👌"
    return rating, title, body


def date_between(low, high, dice):
    a, b = datetime.date.fromisoformat(low), datetime.date.fromisoformat(high)
    return (a + datetime.timedelta(days=dice.i(0, max(0, (b - a).days)))).isoformat()


def write(path):
    makers, products = read()
    table = flavours()
    path = pathlib.Path(path)
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA page_size=4096; PRAGMA journal_mode=DELETE; PRAGMA foreign_keys=ON;")
    db.executescript((HERE.parent.parent / "docs" / "schema.sql").read_text(encoding="utf-8"))

    ids = {}
    siblings = {}
    pictures = {p["name"]: p["slug"] + ".webp" for p in products}
    for k, (key, (name, parent, description, colour)) in enumerate(CATEGORIES.items()):
        ids[key] = k + 1
        siblings[parent] = siblings.get(parent, 0) + 1
        db.execute("INSERT INTO categories VALUES(?,?,?,?,?,?,?,?)", (k + 1, ids.get(parent), siblings[parent], name, None if key in ("ipa", "sherry", "port") else slug_of(name), description, colour, pictures[ART_OF[key]] if key in ART_OF else None))

    text = Fair("notes")
    for p in products:
        dice = Dice(p["slug"])
        sw, facts = p["switch"], dict(p["facts"])
        born = p["vintage"] if p["vintage"] and p["family"] not in ("whisky", "brandy", "fortified", "rum") else 2020
        bottled = sw.get("b")
        if not bottled and p["family"] in ("whisky", "rum", "brandy") and sw.get("a") != "soon" and dice.f() < 0.6:
            y = dice.i(2019, 2025)
            bottled = dice.pick([f"{y}", f"{y}-{dice.i(1, 12):02d}", f"{y}-{dice.i(1, 12):02d}-{dice.i(1, 28):02d}"])
        floor = max("2020-02-01", f"{born + 1}-02-01" if born < 2025 else "2026-02-01", {4: f"{bottled}-12-31", 7: f"{bottled}-28"}.get(len(bottled or ""), bottled or "") if bottled else "")
        if sw.get("a") == "soon":
            floor = "2026-09-20"
        elif p["maker"]["key"] in ("dallae", "marani", "kiri"):
            floor = max(floor, "2025-03-01")
        created = date_between(min(floor, "2026-10-20"), "2026-10-28", dice)
        updated = date_between(max(created, "2025-01-01"), TODAY, dice) if dice.f() < 0.9 else None
        availability, stock = None, None
        a = sw.get("a")
        if a == "sold":
            availability, stock = "sold-out", 0
        elif a == "soon":
            availability = "coming-soon"
        elif a == "discontinued":
            availability, stock = "discontinued", 0
        elif a == "low":
            availability, stock = dice.pick(["low-stock", None]), dice.i(1, 4)
        else:
            availability = dice.pick(["in-stock", "in-stock", "in-stock", None, None, "InStock", "https://schema.org/InStock"])
            stock = dice.i(6, 140) if availability is None or dice.f() < 0.7 else None
        # 20 to 29 are for use inside a shop: such numbers are nobody's. One in a while is an EAN-8, a UPC or a case's GTIN-14.
        body = f"2{dice.i(0, 9)}{dice.i(10**9, 10**10 - 1)}"
        which = p["id"] % 29
        gtin = None if which in (3, 11) else check_digit({5: body[:7], 7: "4" + body[1:11], 9: "1" + body}.get(which, body))
        sale = round(float(sw["sale"]) * 100) if "sale" in sw else None
        tasting_note, nose, palate, finish = tasting(p, table, text, dice)
        row = {
            "id": p["id"], "sku": f"{slug_of(p['maker']['name'])[:3].upper()}-{p['id']:04d}" if p["id"] % 17 else None, "gtin": gtin, "name": p["name"],
            "slug": None if p["id"] % 23 == 0 else p["slug"], "producer": p["maker"]["name"], "style": p["style"], "country": p["maker"]["country"], "region": p["maker"]["region"],
            "age": p["age"], "vintage": p["vintage"], "bottled": bottled, "abv": p["abv"], "volume_ml": p["ml"], "price_minor": p["price"], "sale_price_minor": sale, "currency": "GBP",
            "availability": availability, "stock": stock, "summary": p["summary"], "bottling_note": note(p, text, dice), "tasting_note": tasting_note, "nose": nose, "palate": palate, "finish": finish,
            "colour": tint(p), "featured": int(sw["f"]) if "f" in sw else None, "created": created, "updated": updated}
        insert(db, "products", row)

        cats = [c for c in p["cats"] if c != "under30" or (sale or p["price"] or 10**9) < 3000]
        for k, c in enumerate(cats[:3]):
            db.execute("INSERT INTO product_categories VALUES(?,?,?)", (p["id"], ids[c], k))

        shown, browsed = [], []
        for k, v in p["facts"]:
            if k in FACET_OF:
                browsed += [(FACET_OF[k], x) for x in v.split(", ")]
            else:
                shown.append((k, v))
        closure = dice.pick(CLOSURE[p["family"]])
        if p["style"] in ("Riesling Sekt", "Moscato d'Asti", "Normandy cider", "Domfront perry", "Sparkling tea") or p["cats"][0] == "sour" and p["maker"]["key"] == "spreeuw":
            closure = "Cork and wire"
        if vessel(p) == "can":
            closure = "Can"
        browsed.append(("Closure", closure))
        browsed += [("Food", x) for x in dice.shuffled(FOOD[p["family"]])[:dice.i(1, 3)]]
        if p["family"] == "whisky" and p["abv"] > 8 and not any(k == "Filtration" for k, _ in shown) and dice.f() < 0.7:
            shown.append(("Filtration", "Not chill-filtered" if p["abv"] >= 46 else "Lightly chill-filtered"))
        if p["family"] in ("whisky", "rum", "brandy") and p["liquid"] != "clear" and dice.f() < 0.6:
            shown.append(("Colour", "Natural" if p["abv"] >= 43 else "Adjusted with caramel"))
        if p["family"] in ("red", "white", "sparkling"):
            shown.append(("Serve at", {"red": "15–17 °C", "white": "9–11 °C", "sparkling": "8–10 °C"}[p["family"]]))
            if p["vintage"] and p["family"] != "sparkling" and dice.f() < 0.7:
                shown.append(("Drink", f"Now to {max(2027, p['vintage'] + dice.i(6, 14))}"))
            if dice.f() < 0.5:
                shown.append(("Farming", dice.pick(["Certified organic", "In conversion to organic", "Sustainable", "Biodynamic"])))
        allergen = ALLERGEN.get(p["family"]) or {"nutliq": "Hazelnuts"}.get(p["profile"]) or ("Barley (gluten)" if p["profile"] == "afbeer" and p["style"] != "Hop water" else None)
        if p["style"].startswith("Vermouth") or p["style"].endswith("ermouth"):
            allergen = "Sulphites"
        if p["style"] == "Wheat beer":
            allergen = "Wheat, barley (gluten)"
        if allergen:
            shown.append(("Allergens", allergen))
        for k, (name, value) in enumerate(shown):
            db.execute("INSERT INTO facts VALUES(?,?,?,?)", (p["id"], k + 1, name, value))
        for facet, value in dict.fromkeys(browsed):
            db.execute("INSERT INTO facets VALUES(?,?,?)", (p["id"], facet, value))
        if p["name"] not in NO_PICTURE:
            db.execute("INSERT INTO pictures VALUES(?,?,?,?,?)", (p["id"], 1, p["slug"] + ".webp", None, alt(p)))
        p["created"], p["sold"] = created, a
    write_reviews(db, products, table)
    db.commit()
    db.execute("VACUUM")
    db.close()


def insert(db, table, row):
    db.execute(f"INSERT INTO {table}({','.join(row)}) VALUES({','.join('?' * len(row))})", list(row.values()))


def vessel(p):
    sw = p["switch"].get("S")
    if sw == "can" or p["maker"]["key"] == "cinder" and sw != "beer":
        return "can"
    return "flask" if sw == "stone" else "bottle"


TINT_WORD = {"amber": "amber", "gold": "golden", "straw": "pale gold", "pale": "pale", "clear": "clear", "redwine": "dark red", "rose": "pink", "cola": "deep brown", "red": "bright red", "plum": "plum-coloured",
             "orange": "orange", "blush": "blush", "cloudy": "cloudy", "copper": "copper", "mahogany": "mahogany", "black": "black", "green": "green", "ice": "icy clear"}


def alt(p):
    size = "magnum" if p["ml"] == 1500 else f"{p['ml'] / 10:g} cl {vessel(p)}"
    what = p["style"] if p["style"][:1].isupper() and p["style"].split()[0] in PROPER else p["style"][:1].lower() + p["style"][1:]
    return f"Drawing of a {size} of {TINT_WORD[p['liquid']]} {what} by {p['maker']['name']}"


PROPER = {"Japanese", "Irish", "Kentucky", "London", "Old", "Jamaican", "Cognac", "Bas-Armagnac", "Blanche", "Pineau", "Floc", "Calvados", "Normandy", "Domfront", "Pommeau", "Jerusalem", "Williams", "Champagne", "English", "Riesling", "Spätburgunder", "Bordeaux", "Bourgogne", "Côtes", "Langhe", "Barolo", "Barbera", "Dolcetto", "Roero", "Moscato", "Rioja", "White", "LBV", "Douro", "Manzanilla", "Amontillado", "Pedro", "Saperavi", "Korean", "Poitín", "Fernet", "India", "Imo", "Mugi", "Kokutō", "Vermouth", "Aquavit", "Crémant", "Tequila", "Mezcal"}


def write_reviews(db, products, table):
    fair, number, seen = Fair("reviews"), 0, set()
    for p in products:
        dice = Dice("reviews of " + p["slug"])
        kind = dice.f()
        if p["name"] == "Portnahallan 10 Year Old":
            count = 200
        elif p["name"] == "Ballinacloy Poitín":
            count = 1
        elif p["sold"] == "soon" or kind > 0.42 and "f" not in p["switch"]:
            count = 0
        else:
            count = 2 + int(78 * dice.f() ** 4) + (dice.i(3, 30) if "f" in p["switch"] else 0)
        mood = 0.25 + 0.75 * dice.f()                   # how well liked: shifts the whole distribution
        rows = []
        for _ in range(count):
            x = dice.f() ** (0.55 + mood)
            rating = 5 if x < 0.52 else 4 if x < 0.80 else 3 if x < 0.92 else 2 if x < 0.97 else 1
            if rating in (3, 4) and dice.f() < 0.05:
                rating += 0.5
            language = "en"
            roll = dice.f()
            # whoever lives near the maker writes more often; and none of these for tiny samples
            local = {"France": "fr", "Germany": "de", "Norway": "nb", "Japan": "ja"}.get(p["maker"]["country"])
            if local and roll < 0.3:
                language = local
            elif roll < 0.06:
                language = dice.pick(["fr", "de", "nb", "ja", "de", "fr"])
            r, title, body = review(p, rating, language, table, dice, seen, fair)
            author = dice.pick(W.AUTHORS[language]) if dice.f() < 0.97 else None
            if dice.f() < 0.06:
                title = None
            rows.append((date_between(p["created"], TODAY, dice), r, author, title, body, language))
        for date, r, author, title, body, language in sorted(rows, key=lambda x: (x[0], x[4])):
            number += 1
            db.execute("INSERT INTO reviews VALUES(?,?,?,?,?,?,?,?)", (number, p["id"], r, author, date, title, body, language))


LISTS = [
    ("c-1042", "Ottilie Marchbanks", {
        "wish": [("Portnahallan 16 Year Old", "2026-08-14", "for Dad, when he retires"), ("Delacroze XO Grande Champagne", "2026-09-02", None), ("Mizuhara Mizunara Cask 水楢", "2026-10-11", "if the bonus comes"), ("Ballinacloy The Fourth Sister", "2026-10-20", "ask when it arrives")],
        "basket": [("Orpí Vermut Rojo", 2, None), ("Trevannick Coastal Dry Gin", 1, None), ("Cinder Row Viaduct Pale", 12, "the party on the 14th"), ("Hurtebise-Colin Brut Tradition", 6, None)],
        "collection": [("Portnahallan 10 Year Old", "2024-12-25", "two thirds left"), ("Portnahallan Dunnage Rum Finish", "2023-06-09", "the last one, do not open"), ("Glen Tarrish 18 Year Old", "2025-03-30", None), ("Vela Torta Colheita 1987", "2026-01-02", "my year")]}),
    ("c-1187", "Wim & Noor de Bakker", {
        "wish": [("Drie Spreeuwen Geuze Zwarte Label 2017", "2026-05-01", None), ("Oñaba Gran Reserva Magnum 2005", "2026-07-19", "anniversary"), ("Roverana Barolo Bricco dei Corvi 2013", "2026-07-19", None)],
        "basket": [("Drosselberg Riesling Kabinett 2022", 3, None), ("Aldarejo Fino en Rama", 2, "cold, with almonds"), ("Quiet Hedge No. 1 Garden", 1, "for Noor"), ("Drie Spreeuwen Oude Kriek", 4, None), (None, 1, "the cloudy one from last spring")],
        "collection": [("Château Marquezac 2009", "2022-11-05", "drink by 2030"), ("Drosselberg Auslese 2015", "2021-09-18", None)]}),
    ("c-1203", "H. Nakagawa-Ross", {
        "wish": [("Fuyukawa Daiginjō Yukimuro 雪室", "2026-10-03", "雪が降る前に"), ("Kirishima-dani Ten-Year Clay Pot 甕", "2026-10-03", None)],
        "basket": [],
        "collection": [("Mizuhara Snow Gate 雪門", "2026-02-28", None), ("1963 Last Crossing", "2025-11-27", "opened at Thanksgiving"), ("Glen Tarrish 1989", "2023-04-16", "never to be opened, says Ross"), ("Luna Seca Espadín", "2026-06-21", None)]}),
]


def write_lists(path):
    """Three customers' lists, with one bottle that is discontinued and one that the database no longer knows."""
    import json
    by_name = {p["name"]: str(p["id"]) for p in read()[1]}
    customers = []
    for who, name, lists in LISTS:
        out = {}
        for kind, entries in lists.items():
            out[kind] = []
            for product, second, about in entries:
                entry = {"product": by_name[product] if product else "88"}
                entry["quantity" if kind == "basket" else "added"] = second
                if about:
                    entry["note"] = about
                out[kind].append(entry)
        customers.append({"id": who, "name": name, "lists": out})
    pathlib.Path(path).write_text(json.dumps({"version": 1, "customers": customers}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
