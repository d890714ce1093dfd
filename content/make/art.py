"""Draws every bottle, can and flask of the demo shop as SVG, and turns the SVGs into WebP.

All stand on one base line and are lit from the left, so that any mix of them lines up on a shelf. A maker has a house
style (shape, paper, emblem, face); a product changes its colours, its big word and its liquid.
"""
import concurrent.futures
import hashlib
import html
import math
import pathlib
import subprocess
import unicodedata

from catalogue import Dice, slug_of, vessel

CX, BASE = 240, 560
FRAME = 'viewBox="30 17 420 560" width="600" height="800"'
PAL, DID, CEN, BOOK, GOTH, NARROW, SCRIPT, SANS = "P052", "Noto Serif Display", "C059", "URW Bookman", "URW Gothic", "Nimbus Sans Narrow", "Z003", "Nimbus Sans"
CJK = "Noto Serif CJK JP"


def n(v):
    return f"{v:.1f}".rstrip("0").rstrip(".")


# ------------------------------------------------------------------ drawing
def outline(shape, inset=0, base=0):
    """A half profile (radius, y) drawn down the right side and mirrored back up."""
    start, cmds = shape
    ins = lambda r: max(r - inset, 2)
    low = lambda y: y - base if y >= BASE - 14 else y
    d, pts, cur = [f"M{n(CX + ins(start[0]))} {n(start[1])}"], [], (ins(start[0]), start[1])
    for c in cmds:
        c = tuple(low(v) if k % 2 else ins(v) for k, v in enumerate(c))
        if len(c) == 2:
            d.append(f"L{n(CX + c[0])} {n(c[1])}")
        else:
            d.append(f"C{n(CX + c[0])} {n(c[1])} {n(CX + c[2])} {n(c[3])} {n(CX + c[4])} {n(c[5])}")
        pts.append((cur, c))
        cur = c[-2:]
    d.append(f"L{n(CX - cur[0])} {n(cur[1])}")
    for frm, c in reversed(pts):
        if len(c) == 2:
            d.append(f"L{n(CX - frm[0])} {n(frm[1])}")
        else:
            d.append(f"C{n(CX - c[2])} {n(c[3])} {n(CX - c[0])} {n(c[1])} {n(CX - frm[0])} {n(frm[1])}")
    return "".join(d) + "Z"


def radius_at(shape, y):
    """Half the width of a profile at a height, by walking its curves."""
    (r, y0), cmds = shape
    for c in cmds:
        if len(c) == 2:
            r1, y1 = c
            if min(y0, y1) <= y <= max(y0, y1) and y1 != y0:
                return r + (r1 - r) * (y - y0) / (y1 - y0)
        else:
            for k in range(41):
                t = k / 40
                b = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3)
                yy = b[0] * y0 + b[1] * c[1] + b[2] * c[3] + b[3] * c[5]
                if yy >= y and y0 <= y:
                    return b[0] * r + b[1] * c[0] + b[2] * c[2] + b[3] * c[4]
            r1, y1 = c[4], c[5]
        r, y0 = r1, y1
    return r


def grad(id_, stops, vertical=False):
    v = ' x2="0" y2="1"' if vertical else ""
    return f'<linearGradient id="{id_}"{v}>' + "".join(f'<stop offset="{o}" stop-color="{c}"' + (f' stop-opacity="{a}"' if a != 1 else "") + "/>" for o, c, a in stops) + "</linearGradient>"


def rect(x, y, w, h, fill, rx=0, op=1, stroke=None, sw=1):
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}"' + (f' rx="{n(rx)}"' if rx else "") + f' fill="{fill}"' + (f' fill-opacity="{op}"' if op != 1 else "") + (f' stroke="{stroke}" stroke-width="{sw}"' if stroke else "") + "/>"


def circ(x, y, r, fill, op=1, stroke=None, sw=1):
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(r)}" fill="{fill}"' + (f' fill-opacity="{op}"' if op != 1 else "") + (f' stroke="{stroke}" stroke-width="{sw}"' if stroke else "") + "/>"


def path(d, fill="none", stroke=None, w=1, op=1):
    return f'<path d="{d}" fill="{fill}"' + (f' stroke="{stroke}" stroke-width="{n(w)}" stroke-linecap="round" stroke-linejoin="round"' if stroke else "") + (f' opacity="{op}"' if op != 1 else "") + "/>"


def at(x, y, s, body, rot=0):
    return f'<g transform="translate({n(x)} {n(y)})' + (f' rotate({rot})' if rot else "") + (f' scale({s:.3g})' if s != 1 else "") + f'">{body}</g>'


def is_cjk(s):
    return any(ord(c) > 0x2E80 for c in s)


def width(s, font):
    """Rough width in em: enough to make a word fit its label, whichever renderer draws it."""
    k = {GOTH: 1.04, NARROW: 0.8, SCRIPT: 0.82, BOOK: 1.1, DID: 0.93}.get(font, 1)
    w = 0
    for c in s:
        w += 1.02 if ord(c) > 0x2E80 else 0.3 if c in " .,'’·:;iIl|" else 0.74 * k if c.isupper() else 0.56 * k if c.isdigit() else 0.92 * k if c in "mwMW" else 0.53 * k
    return w or 1


def text(s, y, size, fill, maxw=None, x=CX, font=PAL, weight=None, italic=False, sp=0, rot=None, op=1):
    if is_cjk(s):
        font = CJK
    if maxw:
        size = min(size, (maxw - sp * len(s)) / (width(s, font) * (1.1 if weight else 1)))
    a = f'x="{n(x + sp / 2)}" y="{n(y)}" font-family="{font}" font-size="{size:.2f}" fill="{fill}" text-anchor="middle"'
    a += (f' font-weight="{weight}"' if weight else "") + (' font-style="italic"' if italic else "") + (f' letter-spacing="{sp}"' if sp else "") + (f' transform="rotate({rot} {n(x)} {n(y)})"' if rot is not None else "") + (f' opacity="{op}"' if op != 1 else "")
    return f"<text {a}>{html.escape(s)}</text>"


def shade(c, k):
    """Towards black (k < 0) or white (k > 0)."""
    v = [int(c[i:i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + ((255 - x) if k > 0 else x) * k):02x}" for x in v)


# ------------------------------------------------------------------ shapes
SHAPES = {
    "whisky": ((17, 92), [(17, 196), (17, 222, 84, 218, 84, 280), (84, 538), (84, 552, 76, 560, 64, 560)]),
    "squat": ((19, 150), [(19, 226), (19, 248, 106, 244, 106, 306), (106, 534), (106, 552, 96, 560, 82, 560)]),
    "square": ((16, 84), [(16, 188), (16, 206, 60, 204, 72, 214), (80, 221, 80, 232, 80, 244), (80, 546), (80, 556, 76, 560, 66, 560)]),
    "apothecary": ((21, 150), [(21, 214), (21, 232, 92, 226, 98, 250), (98, 540), (98, 553, 90, 560, 78, 560)]),
    "bordeaux": ((16, 66), [(16, 206), (17, 240, 72, 236, 72, 300), (72, 540), (72, 553, 67, 560, 58, 560)]),
    "burgundy": ((16, 66), [(17, 190), (19, 262, 82, 268, 82, 368), (82, 538), (82, 553, 75, 560, 66, 560)]),
    "flute": ((14, 44), [(15, 156), (17, 240, 61, 266, 61, 368), (61, 542), (61, 554, 57, 560, 50, 560)]),
    "champ": ((17, 84), [(18, 170), (20, 262, 86, 274, 86, 372), (86, 536), (86, 552, 78, 560, 66, 560)]),
    "bell": ((20, 150), [(20, 232), (20, 272, 70, 300, 92, 396), (110, 470, 112, 530, 102, 548), (98, 557, 92, 560, 82, 560)]),
    "decanter": ((19, 158), [(19, 232), (19, 268, 128, 290, 132, 410), (134, 486, 110, 548, 84, 557), (78, 560, 74, 560, 66, 560)]),
    "isho": ((15, 52), [(15, 158), (15, 212, 74, 212, 76, 282), (76, 540), (76, 553, 70, 560, 60, 560)]),
    "tall": ((15, 76), [(15, 170), (15, 190, 58, 190, 60, 214), (70, 546), (71, 555, 66, 560, 58, 560)]),
    "round": ((17, 110), [(17, 200), (17, 226, 90, 228, 90, 292), (90, 540), (90, 553, 82, 560, 72, 560)]),
    "potstill": ((18, 120), [(18, 196), (18, 226, 30, 236, 52, 262), (92, 306, 98, 330, 98, 380), (98, 536), (98, 552, 90, 560, 76, 560)]),
    "bulb": ((18, 116), [(18, 178), (30, 186, 30, 206, 21, 216), (21, 244, 88, 246, 88, 312), (88, 540), (88, 553, 80, 560, 70, 560)]),
    "slim": ((14, 64), [(14, 214), (14, 240, 54, 240, 54, 276), (54, 546), (54, 555, 50, 560, 44, 560)]),
    "beer": ((15, 140), [(15, 214), (17, 276, 62, 280, 62, 344), (62, 542), (62, 554, 58, 560, 50, 560)]),
    "stubby": ((16, 208), [(16, 250), (17, 300, 64, 300, 64, 352), (64, 544), (64, 555, 60, 560, 52, 560)]),
    "gascon": ((17, 128), [(17, 226), (18, 280, 112, 296, 118, 404), (121, 470, 118, 534, 106, 550), (100, 558, 92, 560, 80, 560)]),
    "jug": ((17, 168), [(17, 212), (17, 236, 96, 240, 102, 318), (102, 530), (102, 550, 92, 560, 76, 560)]),
    "hex": ((18, 112), [(18, 196), (22, 204), (78, 240), (84, 252), (84, 548), (78, 560)]),
    "port": ((17, 100), [(17, 168), (26, 176, 26, 204, 19, 214), (21, 246, 78, 244, 78, 300), (78, 540), (78, 553, 71, 560, 62, 560)]),
    "drum": ((20, 168), [(20, 238), (20, 262, 84, 250, 96, 262), (104, 270, 104, 282, 104, 294), (104, 538), (104, 552, 96, 560, 84, 560)]),
}
# (edge, middle, lit, see-through)
GLASS = {
    "clear": ("#94897a", "#dcd6c9", "#f8f5ee", 1), "ice": ("#7fa3a9", "#cbdfe1", "#f4fbfb", 1), "sea": ("#5f8f86", "#aecdc4", "#e6f4ef", 1), "dark": ("#161b12", "#2e3a26", "#6a7a55", 0), "olive": ("#262c12", "#4e5a28", "#99a45c", 0),
    "green": ("#1b3422", "#33593a", "#7fa383", 0), "brown": ("#24140a", "#4d2d15", "#a06f3e", 0), "black": ("#0e0d0d", "#221f1f", "#5f5a58", 0), "leaf": ("#3d4a1f", "#6d7d3a", "#b8c67a", 0), "blue": ("#102a4c", "#1e4a80", "#7fa9d6", 0), "frost": ("#a9bac2", "#d6e2e6", "#f6fbfc", 1),
    "cream": ("#a8987c", "#e3d6bc", "#f8f1e2", 0), "stone": ("#6d6459", "#a3998b", "#cfc7ba", 0), "iron": ("#2b2522", "#4c423c", "#857a72", 0), "teal": ("#0e3a3d", "#1c6367", "#74adae", 0), "rose": ("#b08a80", "#e8d2c8", "#fbf2ee", 1), "amberg": ("#5a2c0c", "#9a5a20", "#dca765", 0),
}
# (deep, bright) of what is inside
LIQUID = {"amber": ("#a8641f", "#dc9a46"), "gold": ("#bd8228", "#e9bf62"), "straw": ("#c9a94a", "#ecd98c"), "pale": ("#c9c886", "#e9e8bc"), "clear": ("#b9cbc6", "#e3edea"), "redwine": ("#3f0d1b", "#7a2138"), "rose": ("#d98672", "#f3b9a8"), "cola": ("#33130b", "#6e3016"), "red": ("#98201a", "#d8452f"),
          "plum": ("#3f1030", "#7c2b52"), "orange": ("#b9641a", "#e8a145"), "blush": ("#dfa398", "#f6cfc6"), "cloudy": ("#d9d6c2", "#f4f2e6"), "copper": ("#7f3a12", "#c0702c"), "mahogany": ("#54200d", "#95471d"), "black": ("#170c08", "#3b2015"), "green": ("#8ba36b", "#c6d5a5"), "ice": ("#a9c6d3", "#dcebf0")}


# ------------------------------------------------------------------ emblems: about 60 x 50 around the origin; a ink, b accent
def e_waves(a, b): return "".join(path(f"M-32 {-10 + i * 9}c11-9 16 8 32 0s21-8 32 0", stroke=a if i % 2 else b, w=2) for i in range(4))
def e_hills(a, b): return "".join(path(f"M-34 {8 + i * 6}C-20 {-16 + i * 7} -10 {-10 + i * 7} -2 {2 + i * 6}S12 {-24 + i * 8} 20 {-12 + i * 6}S30 {6 + i * 5} 34 {2 + i * 6}", stroke=a, w=1.6, op=round(1 - i * .17, 2)) for i in range(4)) + circ(-14, -18, 5, b)
def e_sun(a, b): return circ(0, 4, 13, b) + "".join(path(f"M{n(18 * math.cos(t))} {n(4 + 18 * math.sin(t))}L{n(26 * math.cos(t))} {n(4 + 26 * math.sin(t))}", stroke=a, w=2.4) for t in [i * math.pi / 6 for i in range(12)])
def e_light(a, b): return path("M-8 24L-5-12h10L8 24z", a) + rect(-5, -5, 10, 6, b) + rect(-6.5, 8, 13, 6, b) + rect(-5, -20, 10, 8, b) + path("M-6-20L0-27 6-20z", a) + path("M8-17L32-26M8-15L32-11M-8-17L-32-26M-8-15L-32-11", stroke=b, w=2) + path("M-30 26q8-5 15 0t15 0 15 0 15 0", stroke=a, w=1.6)
def e_ship(a, b): return path("M-28 10H28L20 23H-20z", a) + path("M-3-26V8H-24z", b) + path("M2-22V8H24z", b, op=.75) + path("M0-28V10", stroke=a, w=2) + path("M-32 27q8-4 16 0t16 0 16 0 16 0", stroke=a, w=1.5)
def e_barley(a, b): return "".join(at(0, 12 - i * 8, 1, path("M0 0q12-2 14-13q-12 1-14 13z", b if i % 2 else a) + path("M0 0q-12-2-14-13q12 1 14 13z", b if i % 2 else a) + path("M13-12L22-24M-13-12L-22-24", stroke=a, w=.9)) for i in range(4)) + path("M0 26V-18", stroke=a, w=1.8) + path("M0-18q5-7 0-14q-5 7 0 14z", b)
def e_juniper(a, b): return path("M0 26C2 8-2-8 2-27", stroke=a, w=1.8) + "".join(path(f"M{1 - i % 2} {20 - i * 7}l{15 if i % 2 else -15} {-9}", stroke=a, w=2.6) + path(f"M0 {18 - i * 7}l{10 if i % 2 else -10} {-13}", stroke=a, w=1.8) for i in range(6)) + "".join(circ(x, y, 4.4, b) for x, y in [(-13, 12), (14, 4), (-11, -9), (10, -16)])
def e_berries(a, b): return path("M0-26C-4-10-14-4-14 6M0-26C4-10 12-2 13 4M0-26V10", stroke=a, w=1.5) + "".join(circ(x, y, 8, b) + circ(x - 2.6, y - 2.6, 2, "#fff", .5) for x, y in [(-14, 12), (14, 10), (0, 18)]) + path("M2-24q18-6 26 4q-16 8-26-4z", a)
def e_fish(a, b): return path("M-30 0C-16-16 8-16 20 0C8 16-16 16-30 0z", a) + path("M16 0l16-12v24z", b) + circ(-19, -3, 2.2, "#fff") + "".join(path(f"M{-6 + i * 8}-8q5 8 0 16", stroke=b, w=1.6) for i in range(3))
def e_bird(a, b): return path("M-30 2C-18-16 0-16 10-6C18-12 24-10 26-6L34-4 25 0C22 14 4 20-8 12L-34 18z", a) + path("M-10-2C0-6 8 0 8 6C0 10-8 8-18 8z", b) + circ(21, -5, 1.6, "#fff") + path("M0 15v10M6 14v10", stroke=a, w=1.6)
def e_bee(a, b): return path("M-4-4C-30-28-32-2-6 4zM4-4C30-28 32-2 6 4z", b, op=.75) + f'<ellipse cx="0" cy="8" rx="9" ry="15" fill="{a}"/>' + "".join(rect(-8, y, 16, 3.2, b) for y in (2, 9, 16)) + circ(0, -10, 6, a) + path("M-3-15q-3-8-8-9M3-15q3-8 8-9", stroke=a, w=1.3)
def e_apple(a, b): return path("M0-10C-6-16-24-16-24 4C-24 20-10 28 0 23C10 28 24 20 24 4C24-16 6-16 0-10z", b) + path("M0-9q1-10 5-15", stroke=a, w=2.4) + path("M4-19q12-9 22-1q-12 8-22 1z", a) + path("M-17-1q1-7 7-8", stroke="#fff", w=2.4, op=.6)
def e_pear(a, b): return path("M0-24c7 0 8 8 10 15 3 11 14 15 14 26 0 11-10 17-24 17S-24 28-24 17c0-11 11-15 14-26 2-7 3-15 10-15z", b) + path("M0-24q1-7 6-9", stroke=a, w=2.2) + path("M4-27q11-8 19-1-10 7-19 1z", a) + path("M-13 8q-5 5-5 10", stroke="#fff", w=2.2, op=.6)
def e_cherry(a, b): return path("M2-26C-4-10-12-2-12 8M2-26C10-10 13-2 13 6", stroke=a, w=1.8) + circ(-12, 14, 11, b) + circ(14, 12, 11, b) + circ(-16, 10, 2.6, "#fff", .6) + circ(10, 8, 2.6, "#fff", .6) + path("M2-26q16-6 24 4-16 8-24-4z", a)
def e_grape(a, b): return "".join(circ(x * 11, y, 6.4, b) + circ(x * 11 - 2, y - 2, 1.6, "#fff", .5) for y, xs in [(-6, (-1.5, -.5, .5, 1.5)), (4, (-1, 0, 1)), (14, (-.5, .5)), (23, (0,))] for x in xs) + path("M0-12V-26", stroke=a, w=2) + path("M2-17c8-12 20-10 24-5-4 8-16 10-24 5z", a)
def e_agave(a, b): return "".join(path("M-4 0Q-6-22 0-38Q6-22 4 0z", a if k % 2 else b, stroke=a, w=.8).replace("<path", f'<path transform="translate(0 20) rotate({r}) scale(1 {s})"') for k, (r, s) in enumerate([(-78, .8), (78, .8), (-52, .95), (52, .95), (-26, 1.1), (26, 1.1), (0, 1.2)])) + path("M-30 22H30", stroke=a, w=1.6)
def e_mount(a, b): return path("M-36 20L-12-20L2 0 12-10 36 20z", a) + path("M-12-20l-9 15 6 3 4-5 5 6 3-6z", "#fff") + circ(22, -18, 6, b)
def e_moon(a, b): return path("M8-24A24 24 0 1 0 22 14A19 19 0 1 1 8-24z", b) + "".join(circ(x, y, r, a) for x, y, r in [(20, -16, 2), (26, -2, 1.4), (12, -4, 1.3)])
def e_star(a, b): return path("M0-28L6-7 28-7 11 5 17 26 0 13-17 26-11 5-28-7-6-7z", b) + path("M0-28L0 13M28-7L0 5M-28-7L0 5", stroke=a, w=.8, op=.6)
def e_key(a, b): return circ(-17, 0, 11, "none", stroke=a, sw=4.5) + rect(-6, -2.4, 36, 4.8, a) + rect(19, 2, 4.4, 9, b) + rect(26, 2, 4.4, 7, b)
def e_viaduct(a, b): return path("M-36-6H36V-1H-36zM-32-1V24h8V14a7 7 0 0 1 14 0V24h8V14a7 7 0 0 1 14 0V24h8V14a7 7 0 0 1 14 0V24h4V-1z", a) + rect(-18, -18, 14, 10, b, 2) + rect(-2, -16, 10, 8, b, 1) + rect(10, -16, 10, 8, b, 1) + circ(-14, -24, 3, b, .6) + circ(-8, -29, 4, b, .4)
def e_flower(a, b): return "".join(f'<ellipse cx="0" cy="-15" rx="7" ry="13" fill="{b}" transform="rotate({k * 60})" fill-opacity=".9"/>' for k in range(6)) + circ(0, 0, 7, a)
def e_anchor(a, b): return circ(0, -20, 5.5, "none", stroke=a, sw=3) + path("M0-14V22M-12-7H12M-24 6C-22 20-10 24 0 24S22 20 24 6", stroke=a, w=3.4) + path("M-29 12l5-9 7 7zM29 12l-5-9-7 7z", b)
def e_trees(a, b): return "".join(path(f"M{x} 24V2", stroke=a, w=1.7) + f'<ellipse cx="{x}" cy="{-3 - r * .3:.1f}" rx="{r}" ry="{r * 1.35:.1f}" fill="{c}"/>' for x, r, c in [(-25, 9, b), (0, 14, a), (26, 10, b)]) + path("M-38 24H38", stroke=a, w=1.2)
def e_tower(a, b): return at(0, 5, .86, path("M-34 24V4H-14V-4H-10V-24H10V24z", a) + path("M-13-24L0-38 13-24z", b) + path("M10 24V4H34V24z", a) + rect(-3, -14, 6, 9, b) + rect(-28, 9, 5, 7, b) + rect(18, 9, 5, 7, b) + path("M10 4L22-4 36 4z", b) + path("M-36 4L-23-4-10 4z", b))
def e_still(a, b): return path("M-22 24C-26 4-14-2-9-10C-7-16-6-20-5-26H5C6-20 8-16 10-10C14-2 24 4 20 24z", b) + path("M3-26C22-28 30-16 32 14", stroke=b, w=6) + rect(-24, 22, 46, 5, a) + path("M-14 10H12", stroke=a, w=1.6)
def e_hop(a, b): return "".join(path("M0-10C9-6 9 4 0 8C-9 4-9-6 0-10z", b if (i + j) % 2 else a, stroke=a, w=.8).replace("<path", f'<path transform="translate({j * 11 - (r - 1) * 5.5:.1f} {y})"') for i, (y, r) in enumerate([(-14, 2), (-4, 3), (6, 2), (16, 1)]) for j in range(r)) + path("M0-20q2-8 9-10", stroke=a, w=2) + path("M0-20c10-8 22-4 26 2-10 6-20 4-26-2z", a)
def e_leaf(a, b): return path("M0 28C-28 10-22-18 0-30C22-18 28 10 0 28z", b) + path("M0 28V-20M0 14L-12 4M0 14L12 4M0 0L-11-10M0 0L11-10", stroke=a, w=1.6)
def e_sheep(a, b): return "".join(circ(x, y, 9, b) for x, y in [(-14, -4), (-4, -10), (8, -8), (14, 0), (6, 6), (-6, 6), (-15, 4)]) + f'<ellipse cx="-24" cy="-4" rx="7" ry="9" fill="{a}"/>' + path("M-10 12V24M-2 13V24M8 13V24M14 10V24", stroke=a, w=2.8) + circ(-26, -6, 1.2, "#fff")
def e_volcano(a, b): return path("M-38 24L-9-10H9L38 24z", a) + path("M-9-10H9L12-5 6 0 2-5-4 2-8-3-12-5z", b) + circ(-4, -18, 4, b, .6) + circ(4, -25, 6, b, .4)
def e_qvevri(a, b): return "".join(at(x, 4, s, path("M-8-24H8L7-19C26-10 20 18 0 28C-20 18-26-10-7-19z", b, stroke=a, w=1.6) + path("M-16-4Q0 2 16-4M-14 6Q0 12 14 6", stroke=a, w=1.4)) for x, s in [(-24, .62), (24, .62), (0, .95)])
def e_cane(a, b): return "".join(path(f"M{x} 26Q{x + k} 0 {x + 2 * k}-22", stroke=b, w=5) + "".join(path(f"M{x - 3 + k * .5 * i} {16 - i * 14}h6", stroke=a, w=1.3) for i in range(3)) + path(f"M{x + 2 * k}-22q{-14}-2-18 8M{x + 2 * k}-22q14-4 19 6M{x + 2 * k}-22q4-8 12-9", stroke=a, w=1.8) for x, k in [(-16, -3), (0, 1), (16, 4)])
def e_curtain(a, b): return path("M-34-26H34V-20H-34z", a) + path("M-34-20C-30 0-24 10-34 26H-22C-8 8-6-8-2-20zM34-20C30 0 24 10 34 26H22C8 8 6-8 2-20z", b) + "".join(path(f"M{s * x}-19C{s * (x + 1)} 0 {s * (x + 4)} 10 {s * (x + 4)} 18", stroke=a, w=1, op=.6) for s in (1, -1) for x in (12, 20)) + circ(0, 14, 6, b)
def e_snow(a, b): return "".join(path("M0 0V-28M0-18l-7-6M0-18l7-6M0-10l-5-4M0-10l5-4", stroke=a if k % 2 else b, w=2).replace("<path", f'<path transform="rotate({k * 60})"') for k in range(6))
def e_rows(a, b): return path("M-38 24L-20-14H20L38 24z", b, op=.35) + "".join(path(f"M{-38 + i * 10.9:.1f} 24L{-20 + i * 5.7:.1f}-14", stroke=a, w=1.9) for i in range(8)) + path("M-6-14v-10l6-7 6 7v10z", a) + rect(-1, -24, 2, 4, b)
def e_ferry(a, b): return path("M-34 8H34L26 20H-26z", a) + rect(-20, -6, 40, 12, b, 1) + rect(-8, -18, 10, 12, a) + "".join(circ(x, 0, 2.2, a) for x in (-13, -5, 3, 11)) + path("M-36 25q9-4 18 0t18 0 18 0 18 0", stroke=a, w=1.6) + circ(2, -24, 3.4, a, .5) + circ(8, -29, 4.4, a, .3)
def e_hare(a, b): return path("M-20 24C-26 6-10-2 2 2C4-4 8-8 10-10C4-20 4-30 8-34C12-30 14-20 15-12C16-20 20-28 25-29C26-22 22-14 19-9C26-4 26 4 18 6C20 14 16 20 12 24z", a) + circ(17, -3, 1.6, b) + circ(-21, 17, 5, b)
def e_cow(a, b): return path("M-26-12H14L24-18 30-10 26 2H18V24H12V8H-14V24H-20V4C-24 0-26-6-26-12z", a) + f'<ellipse cx="-8" cy="-4" rx="9" ry="5" fill="{b}"/>' + circ(24, -9, 1.3, "#fff") + path("M-26-10q-7 8-5 18", stroke=a, w=1.6)
def e_clock(a, b): return circ(0, 0, 25, "none", stroke=a, sw=3) + circ(0, 0, 20, b, .3) + path("M0 0V-15M0 0L9 8", stroke=a, w=2.6) + "".join(circ(20 * math.cos(k * math.pi / 6), 20 * math.sin(k * math.pi / 6), 1.3, a) for k in range(12))
def e_teasel(a, b):
    o = path("M0 28V0", stroke=a, w=1.6)
    for i in range(9):
        t = math.radians(-164 + i * 18.5)
        x, y = 30 * math.cos(t), 4 + 32 * math.sin(t)
        o += path(f"M0 4Q{n(x * .3)} {n(y * .6)} {n(x)} {n(y)}", stroke=a, w=1.2) + "".join(circ(x + dx, y + dy, 2.2, b) for dx, dy in ((0, -3), (-4, 0), (4, 0), (0, 2)))
    return o


# ------------------------------------------------------------------ labels: each returns (svg, box to shade or None, rounding)
def sheet(x, y, w, h, fill, bend=5):
    """A label on a round bottle: its upper and lower edges sag a little."""
    return path(f"M{n(x)} {n(y)}Q{CX} {n(y + 2 * bend)} {n(x + w)} {n(y)}V{n(y + h)}Q{CX} {n(y + h + 2 * bend)} {n(x)} {n(y + h)}Z", fill)


def bow(x, y, w, c, sw=1.2, bend=5):
    return path(f"M{n(x)} {n(y)}Q{CX} {n(y + 2 * bend)} {n(x + w)} {n(y)}", stroke=c, w=sw)


def l_classic(L):
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    o = sheet(x, t, w, h, P["paper"]) + bow(x, t + 7, w, P["acc"], 1.6) + bow(x, t + h - 8, w, P["acc"], 1.6) + bow(x, t + h - 4.5, w, P["acc"], .7)
    o += text(L["brand"], t + h * .17 + 13, min(20, h * .125), P["ink"], w * .8, font=L["font"], weight=L["weight"], sp=1)
    o += at(CX, t + h * .455, h / 178 * .86, L["emblem"](P["ink"], P["acc"]))
    o += text(L["word"], t + h * .795, h * .25 if len(L["word"]) < 4 else h * .15, P["ink"], w * .8, font=L["font"])
    o += text(L["sub"], t + h * .905, 8.4, P["ink"], w * .84, font=SANS, sp=.7)
    return o, (x, t, w, h)


def l_frame(L):
    r, t, b, P = L["r"] * .84, L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    o = rect(x, t, w, h, P["paper"], 3) + rect(x + 5, t + 5, w - 10, h - 10, "none", 1, stroke=P["acc"], sw=1.4) + rect(x + 8, t + 8, w - 16, h - 16, "none", 1, stroke=P["acc"], sw=.5)
    o += at(CX, t + h * .24, h / 240, L["emblem"](P["ink"], P["acc"]))
    o += text(L["brand"], t + h * .50, 17, P["ink"], w * .76, font=L["font"], weight=L["weight"], sp=.8)
    o += rect(CX - 16, t + h * .545, 32, 1, P["acc"])
    o += text(L["word"], t + h * .775, h * .24 if len(L["word"]) < 5 else h * .155, P["acc"], w * .74, font=L["font"])
    o += text(L["sub"], t + h * .89, 7.6, P["ink"], w * .76, font=SANS, sp=.7)
    return o, (x, t, w, h)


def l_estate(L):
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    o = sheet(x, t, w, h, P["paper"], 4) + at(CX, t + h * .30, min(h / 138, w / 100), L["emblem"](P["ink"], P["acc"]))
    o += text(L["brand"], t + h * .635, 19, P["ink"], w * .8, font=L["font"], italic=L["italic"], weight=L["weight"])
    o += rect(CX - w * .3, t + h * .69, w * .6, .9, P["acc"])
    o += text(L["word"], t + h * .81, 14, P["acc"] if L["loud"] else P["ink"], w * .8, font=L["font"], sp=1.2)
    o += text(L["sub"], t + h * .93, 7.6, P["ink"], w * .84, font=SANS, sp=.6)
    return o, (x, t, w, h)


def l_split(L):
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    m = t + h * .6
    o = sheet(x, t, w, h, P["acc"]) + "".join(path(f"M{CX} {n(m)}L{n(CX + 1.3 * r * math.cos(a))} {n(m - 1.3 * r * math.sin(a))}L{n(CX + 1.3 * r * math.cos(a + .13))} {n(m - 1.3 * r * math.sin(a + .13))}Z", shade(P["acc"], .28)) for a in [k * .262 + .06 for k in range(12)])
    o = f'<g clip-path="url(#lab)">{o}</g>' + circ(CX, m - h * .25, h * .215, P["paper"]) + at(CX, m - h * .25, h / 215, L["emblem"](P["ink"], P["acc"]))
    o += sheet(x, m, w, h * .4, P["ink"]) + bow(x, m + 4, w, P["paper"], .9)
    o += text(L["brand"], m + h * .19, 19, P["paper"], w * .84, font=L["font"], weight=L["weight"], sp=1)
    o += text(L["word"], m + h * .30, 13, shade(P["acc"], .5), w * .8, font=L["font"], sp=1.5) + text(L["sub"], m + h * .37, 7, P["paper"], w * .8, font=SANS, sp=.6)
    return o, (x, t, w, h)


def l_strip(L):
    t, b, P = L["top"] - 26, L["bot"] + 8, L["pal"]
    w = min(L["r"] * 1.16, 92)
    x, h = CX - w / 2, b - t
    o = rect(x, t, w, h, P["paper"]) + rect(x + 4, t + 4, w - 8, h - 8, "none", stroke=P["acc"], sw=.8)
    if is_cjk(L["word"]):
        size = min(38, (h * .56) / len(L["word"]) * .95)
        o += "".join(text(c, t + 20 + size * (k + .92), size, P["ink"], font=CJK, weight=600, rot=90 if c == "ー" else None) if c != "ー" else f'<rect x="{n(CX - 1.4)}" y="{n(t + 20 + size * k + 3)}" width="2.8" height="{n(size - 6)}" fill="{P["ink"]}"/>' for k, c in enumerate(L["word"]))
    else:
        o += text(L["word"], t + h * .34, 46 if len(L["word"]) < 4 else 26, P["ink"], w * .8, font=L["font"])
    o += at(CX, t + h * .715, w / 138, L["emblem"](P["ink"], P["acc"]))
    o += text(L["brand"], t + h * .875, 17, P["ink"], w * .84, font=L["font"], weight=L["weight"], sp=.8) + text(L["sub"], t + h * .925, 6.6, P["ink"], w * .84, font=SANS, sp=.4)
    o += rect(x + w - 19, t + h - 17 - h * .19, 11, 11, "#b53a2c", 1.5) if L["seal"] else ""
    return o, (x, t, w, h)


def l_oval(L):
    t, b, P = L["top"], L["bot"], L["pal"]
    ry = (b - t) / 2
    rx, cy = min(L["r"] * .84, ry * 1.05), (t + b) / 2
    o = f'<ellipse cx="{CX}" cy="{n(cy)}" rx="{n(rx)}" ry="{n(ry)}" fill="{P["paper"]}"/>' + "".join(f'<ellipse cx="{CX}" cy="{n(cy)}" rx="{n(rx - k)}" ry="{n(ry - k)}" fill="none" stroke="{P["acc"]}" stroke-width="{s}"/>' for k, s in ((4, 1.7), (7.5, .6)))
    o += at(CX, cy - ry * .46, ry / 116, L["emblem"](P["ink"], P["acc"])) + text(L["brand"], cy + ry * .10, 19, P["ink"], rx * 1.62, font=L["font"], weight=L["weight"], italic=L["italic"])
    o += text(L["word"], cy + ry * .47, ry * .34, P["acc"], rx * 1.4, font=L["font"]) + text(L["sub"], cy + ry * .69, 7, P["ink"], rx * 1.16, font=SANS, sp=.4)
    return o, (CX - rx, t, 2 * rx, b - t, min(rx, ry))


def l_print(L):
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    h = b - t
    ink = P["ink"]
    o = at(CX, t + h * .26, h / 128 * min(1, r / 70), L["emblem"](ink, P["acc"]))
    o += text(L["brand"], t + h * .64, 24, ink, r * 1.66, font=L["font"], weight=L["weight"], italic=L["italic"]) + text(L["word"], t + h * .80, 19, P["acc"], r * 1.5, font=L["font"], sp=1.4) + rect(CX - 14, t + h * .845, 28, .9, ink) + text(L["sub"], t + h * .935, 7.8, ink, r * 1.6, font=SANS, sp=.7)
    return o, None


def l_apoth(L):
    r, t, b, P = L["r"] * .9, L["top"] + 6, L["bot"] - 4, L["pal"]
    x, w, h, k = CX - r, 2 * r, b - t, 9
    shape = lambda q: f"M{n(x + q + k)} {n(t + q)}H{n(x + w - q - k)}Q{n(x + w - q - k)} {n(t + q + k)} {n(x + w - q)} {n(t + q + k)}V{n(t + h - q - k)}Q{n(x + w - q - k)} {n(t + h - q - k)} {n(x + w - q - k)} {n(t + h - q)}H{n(x + q + k)}Q{n(x + q + k)} {n(t + h - q - k)} {n(x + q)} {n(t + h - q - k)}V{n(t + q + k)}Q{n(x + q + k)} {n(t + q + k)} {n(x + q + k)} {n(t + q)}Z"
    o = path(shape(0), P["paper"]) + path(shape(4), stroke=P["ink"], w=1.3) + path(shape(7), stroke=P["acc"], w=.6)
    o += text(L["brand"], t + h * .22, 18, P["ink"], w * .78, font=L["font"], weight=L["weight"], sp=.6) + rect(x + w * .16, t + h * .275, w * .68, .9, P["acc"])
    o += at(CX, t + h * .48, h / 190, L["emblem"](P["ink"], P["acc"])) + rect(x + 7, t + h * .68, w - 14, h * .16, P["acc"]) + text(L["word"], t + h * .805, h * .13, P["paper"], w * .72, font=L["font"], sp=1.4)
    o += text(L["sub"], t + h * .91, 7.2, P["ink"], w * .74, font=SANS, sp=.5)
    return o, (x, t, w, h)


def l_block(L):
    """Modern: a mosaic of quarter circles over a plain foot."""
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    d, cols = Dice("block " + L["slug"]), [P["acc"], P["ink"], shade(P["acc"], .45), P["paper"], shade(P["ink"], .4)]
    s = w / 5
    rows = int(h * .56 / s)
    o = rect(x, t, w, h, P["paper"])
    for j in range(rows):
        for i in range(5):
            X, Y, c, g = x + i * s, t + j * s, d.pick(cols), d.i(0, 4)
            o += rect(X, Y, s, s, d.pick(cols[2:]))
            o += [path(f"M{n(X)} {n(Y)}H{n(X + s)}A{n(s)} {n(s)} 0 0 1 {n(X)} {n(Y + s)}Z", c), path(f"M{n(X + s)} {n(Y + s)}H{n(X)}A{n(s)} {n(s)} 0 0 1 {n(X + s)} {n(Y)}Z", c), circ(X + s / 2, Y + s / 2, s * .36, c), path(f"M{n(X)} {n(Y + s)}L{n(X + s)} {n(Y)}V{n(Y + s)}Z", c), path(f"M{n(X + s)} {n(Y)}H{n(X)}A{n(s)} {n(s)} 0 0 0 {n(X + s)} {n(Y + s)}Z", c)][g]
    y = t + rows * s
    f = t + h - y
    o += text(L["brand"], y + f * .36, 17, P["ink"], w * .86, font=L["font"], weight=L["weight"], sp=.8) + text(L["word"], y + f * .69, 19, shade(P["acc"], -.15), w * .82, font=L["font"], weight=L["weight"]) + text(L["sub"], y + f * .9, 7.4, P["ink"], w * .84, font=SANS, sp=.6)
    return o, (x, t, w, h)


def l_shield(L):
    r, t, b, P = L["r"] * .96, L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    s = lambda q: f"M{n(x + q)} {n(t + q + 6)}Q{n(CX - r * .5)} {n(t + q + 9)} {CX} {n(t + q)}Q{n(CX + r * .5)} {n(t + q + 9)} {n(x + w - q)} {n(t + q + 6)}V{n(t + h * .74)}Q{n(x + w - q)} {n(t + h * .93 - q)} {CX} {n(t + h - q)}Q{n(x + q)} {n(t + h * .93 - q)} {n(x + q)} {n(t + h * .74)}Z"
    o = path(s(0), P["paper"]) + path(s(4), stroke=P["acc"], w=1.5) + path(s(7), stroke=P["acc"], w=.6)
    o += at(CX, t + h * .27, h / 205, L["emblem"](P["ink"], P["acc"])) + text(L["brand"], t + h * .53, 18, P["ink"], w * .8, font=L["font"], italic=L["italic"], weight=L["weight"])
    o += text(L["word"], t + h * .70, 15, P["acc"], w * .7, font=L["font"], sp=2) + text(L["sub"], t + h * .81, 7.2, P["ink"], w * .62, font=SANS, sp=.5)
    return o, (x, t, w, h)


def l_diagonal(L):
    r, t, b, P = L["r"], L["top"], L["bot"], L["pal"]
    x, w, h = CX - r, 2 * r, b - t
    o = rect(x, t, w, h, P["paper"]) + path(f"M{n(x)} {n(t + h * .62)}L{n(x + w)} {n(t + h * .30)}V{n(t + h * .62)}L{n(x)} {n(t + h * .94)}Z", P["acc"]) + path(f"M{n(x)} {n(t + h * .58)}L{n(x + w)} {n(t + h * .26)}", stroke=P["ink"], w=1.4)
    o += at(CX - r * .36, t + h * .22, h / 230, L["emblem"](P["ink"], P["acc"])) + text(L["word"], t + h * .655, h * .19, P["paper"], w * .8, font=L["font"], weight=L["weight"], rot=round(math.degrees(math.atan2(-h * .32, w)), 1))
    o += text(L["brand"], t + h * .86, 16, P["ink"], w * .5, x=CX + r * .4, font=L["font"], weight=L["weight"]) + text(L["sub"], t + h * .95, 7, P["ink"], w * .82, font=SANS, sp=.5)
    return o, (x, t, w, h)


# ------------------------------------------------------------------ houses
# shape, glass, label, emblem, cap, font, brand on the label, [(paper, ink, accent)] in turn
H = {
    "portna": ("squat", "clear", l_classic, e_waves, "cork-dark", PAL, "PORTNAHALLAN", [("#f1ebdd", "#1d2c36", "#2f5d73"), ("#1f2c35", "#efe7d5", "#b98a4b"), ("#e9e4d8", "#20242a", "#a23b2c")]),
    "tarrish": ("decanter", "clear", l_oval, e_hare, "stopper", CEN, "Glen Tarrish", [("#f4ead2", "#3a2010", "#8d2f22"), ("#f4ead2", "#2a2313", "#97702a"), ("#2b1710", "#f2e4c6", "#c9935a")]),
    "balmor": ("whisky", "clear", l_classic, e_light, "capsule", DID, "BALMORROW", [("#f5f0e4", "#26362c", "#3c6a52"), ("#f5f0e4", "#2b2a45", "#b5813a"), ("#27384a", "#f2ead8", "#d9b36a")]),
    "skarvoe": ("potstill", "clear", l_frame, e_flower, "cork", GOTH, "SKARVOE", [("#efe9ee", "#3a2b44", "#7d5490"), ("#2d3440", "#efeae0", "#a98fc0"), ("#e8ece6", "#23343a", "#4d7d83")]),
    "haddow": ("square", "clear", l_apoth, e_key, "capsule", BOOK, "HADDOW & SPRAKE", [("#f3ead4", "#23324d", "#33578c"), ("#f3ead4", "#3a2413", "#a4552a"), ("#f0ead9", "#2c3a2a", "#5d7a45")]),
    "mizuhara": ("square", "clear", l_strip, e_mount, "capsule", PAL, "MIZUHARA", [("#faf6ee", "#1f2a44", "#7c8fb5"), ("#f7f2e6", "#2c2620", "#b08a4a"), ("#f6eeee", "#3d1c2a", "#b5617a")]),
    "ballina": ("bulb", "clear", l_split, e_cow, "capsule", CEN, "BALLINACLOY", [("#f5efdc", "#1f4a37", "#d9a441"), ("#f5efdc", "#2a3a5c", "#8fb3c9"), ("#f5efdc", "#552818", "#d97a3f")]),
    "pruitt": ("hex", "clear", l_apoth, e_ferry, "wax", BOOK, "PRUITT'S FERRY", [("#efe2c4", "#2d1d12", "#9c3b24"), ("#efe2c4", "#20301f", "#53703c"), ("#2a1c14", "#efdcb6", "#bd853f")]),
    "trevan": ("apothecary", "ice", l_print, e_juniper, "cork", DID, "Trevannick", [("#eef3f0", "#17424c", "#2f7d8c"), ("#eef3f0", "#14264a", "#33589c"), ("#fbf3dc", "#5b4410", "#a97c0f"), ("#f6e8ee", "#ffffff", "#f3c3d6"), ("#eef3f0", "#2f3f20", "#6b8a3a")]),
    "tanner": ("round", "clear", l_diagonal, e_clock, "capsule", GOTH, "TANNER'S YARD", [("#f7f4ec", "#1b1b1b", "#d1482f"), ("#f4efe2", "#26221d", "#6b7d4a"), ("#fbf0ee", "#4a1c2a", "#dd6f83"), ("#f2f4f0", "#17323a", "#2e8a86")]),
    "lovstad": ("tall", "frost", l_print, e_snow, "cork", GOTH, "LØVSTAD", [("#ffffff", "#1b3a57", "#4781ad"), ("#ffffff", "#54300f", "#9a5a1c"), ("#ffffff", "#6a1420", "#b5323a"), ("#ffffff", "#ffffff", "#c9b4ea")]),
    "cassis": ("round", "clear", l_split, e_cane, "capsule", BOOK, "MORNE CASSIS", [("#fbe9bd", "#17565a", "#e8643f"), ("#fbf0cf", "#3c5a24", "#e2b03a"), ("#fbe9cf", "#5a2230", "#d98a4f")]),
    "lorne": ("drum", "clear", l_block, e_star, "cork-dark", GOTH, "PORT LORNE", [("#fbf1d6", "#12423a", "#f0a030"), ("#fbf1d6", "#3a1747", "#e0563f"), ("#fbf1d6", "#1c2f5c", "#3fa58a")]),
    "saraba": ("potstill", "clear", l_oval, e_curtain, "stopper-gold", SCRIPT, "Sarabanda", [("#f6ecd6", "#4a1218", "#a3222e"), ("#1f1416", "#f0dfc0", "#c99a4a"), ("#f6ecd6", "#2b2140", "#6a4a9a")]),
    "luna": ("bell", "sea", l_frame, e_agave, "cork", BOOK, "LUNA SECA", [("#e6d3ac", "#3a2417", "#a6472c"), ("#dfe3d0", "#23402f", "#4f8a63"), ("#ead8d0", "#45202c", "#b5486a"), ("#2a2a3c", "#efe0c0", "#d9a04a")]),
    "ocotle": ("squat", "clear", l_shield, e_sun, "cork", CEN, "Ocotlero", [("#f7efdd", "#27404f", "#2f7fa0"), ("#f7efdd", "#4f3414", "#c98a2a"), ("#f7efdd", "#4a1f14", "#b0482a"), ("#26343a", "#f2e6cb", "#dd9a3f")]),
    "delacr": ("decanter", "clear", l_shield, e_still, "stopper", DID, "Delacroze", [("#f6efdd", "#2f2413", "#a77b34"), ("#f6efdd", "#1f2c42", "#8a6a2c"), ("#20180f", "#f2e4c4", "#cfa050")]),
    "pouyg": ("gascon", "olive", l_estate, e_trees, "wax", SCRIPT, "Domaine de Pouygarre", [("#f3ead3", "#2c2516", "#8b3a22"), ("#efe7d2", "#23301f", "#5d6a35"), ("#f3ead3", "#32202c", "#7a4a66")]),
    "hautb": ("gascon", "clear", l_classic, e_apple, "cork", PAL, "HAUTBOSC", [("#f6f0dc", "#30361b", "#a83a2a"), ("#f6f0dc", "#3c2a12", "#c08a2a"), ("#f6f0dc", "#26361f", "#7f9a3a")]),
    "hohla": ("slim", "clear", l_estate, e_cherry, "cork", CEN, "Hohlacker", [("#fbf8ee", "#2c2a22", "#a3182c"), ("#fbf8ee", "#3a3012", "#d9a31f"), ("#fbf8ee", "#3a1a2a", "#d0406a"), ("#fbf8ee", "#2c3a1a", "#a9b52f"), ("#fbf8ee", "#3a2c1c", "#8a6a42"), ("#fbf8ee", "#1c2c1c", "#4a7a3a")]),
    "orpi": ("bordeaux", "clear", l_oval, e_anchor, "capsule", BOOK, "Orpí", [("#f3e2bd", "#6e1a17", "#a8271f"), ("#fbf4dd", "#35481f", "#7f9a33"), ("#23191a", "#f0dcb4", "#c98f3f"), ("#f2f0e4", "#1f3c4c", "#3b84a0"), ("#e9dfc8", "#3a2a18", "#6f5a2a")]),
    "bress": ("round", "clear", l_apoth, e_leaf, "capsule", BOOK, "F.lli BRESSANE", [("#f4ecd5", "#263b2c", "#33714a"), ("#f6ecd8", "#4a0f12", "#c22a24"), ("#f2e6cf", "#3a1e2c", "#8a2f4a"), ("#efe4cc", "#2f1a14", "#7a2f20"), ("#f3e8d4", "#3c2615", "#9a6a3a"), ("#eae6da", "#14202c", "#2f4f73")]),
    "hurte": ("champ", "dark", l_shield, e_star, "foil", DID, "Hurtebise-Colin", [("#f7f1df", "#2b2718", "#a8862f"), ("#f2efe6", "#2a3238", "#6f7f88"), ("#f8f6ea", "#2f3a1c", "#93a03a"), ("#fbeeea", "#5a1c2a", "#c9707f"), ("#f7f1df", "#1d2c22", "#2f6a4a"), ("#f7f1df", "#1f2440", "#3f4f9a"), ("#1d1a14", "#f2e6c4", "#c9a24a")]),
    "hollow": ("champ", "green", l_print, e_bird, "foil", DID, "Hollowdene", [("#ffffff", "#f6f1e0", "#d9c27a"), ("#ffffff", "#fbeae6", "#efb0a6"), ("#ffffff", "#f2ead8", "#c9b38a")]),
    "drossel": ("flute", "leaf", l_estate, e_rows, "capsule", PAL, "Drosselberg", [("#fbf9ee", "#2c3a1a", "#8b9b2f"), ("#fbf9ee", "#1f3a4a", "#4f8aa3"), ("#fbf4dd", "#4a3a10", "#c99a1f"), ("#fbf4dd", "#5a3410", "#d98a1f"), ("#20281c", "#f0ecd2", "#c9b45a")]),
    "marqu": ("bordeaux", "dark", l_estate, e_tower, "capsule", CEN, "Château Marquezac", [("#f7f2e4", "#2a2620", "#8c1f2f"), ("#f7f2e4", "#2a2620", "#9a7a33"), ("#f7f2e4", "#23303f", "#3f5f80")]),
    "perrau": ("burgundy", "olive", l_estate, e_grape, "capsule", PAL, "Perrault-Guyard", [("#f8f3e6", "#33251f", "#8f2a3c"), ("#f8f3e6", "#2a2a1f", "#6f3a5a"), ("#f8f3e6", "#3a1f22", "#b0463f"), ("#f8f3e6", "#2f361f", "#8f9a3a"), ("#f8f3e6", "#33301c", "#b5953a")]),
    "cigal": ("burgundy", "olive", l_block, e_sun, "capsule", GOTH, "MAS DES CIGALOUS", [("#fbf3df", "#4a1b2c", "#c9502f"), ("#fbf3df", "#2c2440", "#7d5a9a"), ("#fbf3df", "#1f3f4f", "#e0a33a"), ("#fdf1ea", "#6a2a2f", "#f0927f")]),
    "rover": ("burgundy", "brown", l_classic, e_bird, "capsule", DID, "ROVERANA", [("#f6efdf", "#2a1f1c", "#a3402a"), ("#f2ead6", "#3a1318", "#7a1f2c"), ("#1f1a1a", "#f0e4c8", "#b5853f"), ("#f6efdf", "#3a2430", "#8a4a6a")]),
    "onaba": ("bordeaux", "dark", l_diagonal, e_sun, "capsule", CEN, "OÑABA", [("#f7f0dd", "#2b1a1a", "#c9372c"), ("#f7f0dd", "#33201a", "#b5762f"), ("#f7f0dd", "#261a2c", "#6d2440"), ("#f2e3b8", "#241a12", "#8a6320")]),
    "salgue": ("port", "black", l_frame, e_ship, "capsule-short", BOOK, "VELA TORTA", [("#f4ead0", "#33121a", "#8c1f33"), ("#f4ead0", "#3f240f", "#b5752a"), ("#241712", "#f2dfb8", "#cf9a45"), ("#f4ead0", "#1f2c44", "#3f5f99"), ("#f4ead0", "#2a1f17", "#7a5a3a")]),
    "aldar": ("slim", "black", l_strip, e_flower, "cork", SCRIPT, "Aldarejo", [("#f6f1dc", "#2f3a1f", "#93a03f"), ("#eef2f2", "#1f3a4a", "#5a94ad"), ("#f6ead0", "#4a2a10", "#c07f2f"), ("#f2e2cc", "#3a1a10", "#9a4a24"), ("#231a14", "#f0dcb0", "#c9973f"), ("#efe0d4", "#2a120c", "#6a3320")]),
    "kereru": ("burgundy", "leaf", l_estate, e_bird, "capsule", GOTH, "KERERŪ FLAT", [("#f7f5ec", "#21353a", "#2f7d72"), ("#f7f5ec", "#3a2033", "#8f3a6a"), ("#f7f5ec", "#3a3418", "#c0a02f")]),
    "marani": ("burgundy", "amberg", l_oval, e_qvevri, "wax", CEN, "Tsiskari", [("#f6ead2", "#40220f", "#c2641f"), ("#f6ead2", "#33301a", "#9a8a2a"), ("#f6ead2", "#3a2c14", "#d09a2f"), ("#f2e0dc", "#3a1020", "#8a2440")]),
    "cinder": ("beer", "brown", l_diagonal, e_viaduct, "crown", GOTH, "CINDER ROW", [("#f6ecd3", "#3a1f12", "#c2562a"), ("#fbf3da", "#15414a", "#f0a93a"), ("#f6f0dc", "#1e2430", "#e0482f"), ("#e8dfd0", "#17110e", "#6a4a36"), ("#1b1614", "#efdcb4", "#b5852f"), ("#efe6d6", "#3a2416", "#93603a"), ("#fbeaea", "#6a1430", "#e5577f"), ("#eff5ea", "#1c4a38", "#4fae7a"), ("#f4f0dc", "#2a1f4a", "#7d5fc0")]),
    "spreeuw": ("champ", "brown", l_classic, e_bird, "foil", CEN, "DRIE SPREEUWEN", [("#f3e6c4", "#3a2216", "#b5852f"), ("#f3e0d0", "#5a1020", "#b32237"), ("#f6e2e2", "#5a1838", "#d0487a"), ("#1d1916", "#efdcae", "#b58f45")]),
    "spital": ("stubby", "brown", l_oval, e_hop, "crown", CEN, "Spitalwirt", [("#f7eed4", "#2c3a1a", "#7d9a2f"), ("#f2dfc0", "#3a1a10", "#a3482a"), ("#f4f4ea", "#173a5a", "#2f6fa8"), ("#f2e4d0", "#4a1014", "#a3202a"), ("#fbf0cf", "#4a3410", "#dca01f"), ("#eef4f0", "#1c4440", "#3f9a8a")]),
    "hallow": ("champ", "olive", l_classic, e_apple, "crown", PAL, "HALLOWFIELD", [("#f5efd9", "#3b2416", "#b5382a"), ("#f5efd9", "#3a3014", "#cf9a2a"), ("#f2f2dc", "#2c3a1c", "#a3ab3a"), ("#efe9d4", "#2a2f38", "#6f7f4a")]),
    "fuyu": ("isho", "frost", l_strip, e_snow, "capsule", PAL, "FUYUKAWA", [("#fbfaf6", "#1d3149", "#5f86ad"), ("#f4f8fa", "#16364f", "#3f9ac0"), ("#1c2c44", "#f2ecd8", "#c9a95a"), ("#fdfbf6", "#3f4a52", "#9fb0b8"), ("#f6fafb", "#2a4a5c", "#7fb5c9"), ("#efe8d8", "#33261a", "#8f6a3a"), ("#fbfaf6", "#26304a", "#a3443a"), ("#fbf4ea", "#5a2a14", "#cf8a2f")]),
    "kiri": ("isho", "black", l_strip, e_volcano, "capsule", PAL, "KIRISHIMA-DANI", [("#1a1715", "#f2e4c4", "#b5452f"), ("#faf6ea", "#2a221c", "#b5452f"), ("#f2e6c4", "#3a2a12", "#a87f2a"), ("#e9dac4", "#35180e", "#8a3f1f"), ("#efe7d6", "#2c241e", "#8f3a2a")]),
    "dallae": ("isho", "ice", l_strip, e_flower, "capsule", PAL, "DALLAE", [("#f7f5ee", "#1f3f3a", "#4f9a86"), ("#eef6f4", "#17474f", "#3fa3ad"), ("#f8f5ea", "#4a4030", "#b5a06a"), ("#f4e6ec", "#4a1238", "#a8356f"), ("#fbeef2", "#5a2040", "#e07fa5")]),
    "quiet": ("tall", "clear", l_print, e_teasel, "cork", PAL, "Quiet Hedge", [("#ffffff", "#2f4a2c", "#6d8a3a"), ("#ffffff", "#4a2f14", "#a8662a"), ("#ffffff", "#ffffff", "#ffe0c4"), ("#ffffff", "#3a3f1c", "#8f8a2f"), ("#ffffff", "#ffffff", "#f2c9df"), ("#ffffff", "#3f4a2a", "#a3963a"), ("#eff6ee", "#1f4a34", "#5fae6a"), ("#f6ece4", "#3a141c", "#8f2a3f")]),
}
# what the fruit spirits show, whatever the house shows
FRUIT = {"plumb": e_apple, "raspb": e_berries, "pearliq": e_pear, "berry": e_berries, "sloe": e_berries, "perry": e_pear, "kriek": e_cherry, "amaro": e_leaf, "umeshu": e_cherry, "ginflower": e_flower, "nutliq": e_leaf, "orangeliq": e_sun, "bitterred": e_sun, "afsmoke": e_apple, "afapple": e_apple, "moscato": e_grape, "port": e_ship, "mugi": e_barley, "smokebeer": e_barley, "weizen": e_barley, "newmake": e_barley}


def cap_of(kind, shape, colour, lit, glass):
    r0, y0 = shape[0]
    o = ""
    def capsule(y, h, r, r2):
        d = f"M{n(CX - r)} {n(y + 4)}Q{n(CX - r)} {n(y)} {n(CX - r + 4)} {n(y)}H{n(CX + r - 4)}Q{n(CX + r)} {n(y)} {n(CX + r)} {n(y + 4)}L{n(CX + r2)} {n(y + h)}Q{CX} {n(y + h + 3)} {n(CX - r2)} {n(y + h)}Z"
        return path(d, colour) + path(d, "url(#k)") + rect(CX - r, y + 7, 2 * r, 1, "#000", 0, .18) + path(f"M{n(CX - r2)} {n(y + h - 5)}Q{CX} {n(y + h - 2)} {n(CX + r2)} {n(y + h - 5)}", stroke=lit, w=1.3, op=.7)
    if kind == "capsule":
        h = 62
        return capsule(y0 - 12, h, r0 + 2.5, radius_at(shape, y0 - 12 + h) + 2)
    if kind == "capsule-short":
        return capsule(y0 - 10, 34, r0 + 3, r0 + 3)
    if kind == "foil":
        h = 104
        y = y0 - 20
        r2 = radius_at(shape, y + h) + 2
        d = f"M{n(CX - r0 - 2)} {n(y + 12)}Q{n(CX - r0 - 2)} {n(y)} {n(CX - 6)} {n(y)}H{n(CX + 6)}Q{n(CX + r0 + 2)} {n(y)} {n(CX + r0 + 2)} {n(y + 12)}V{n(y + 30)}L{n(CX + r0)} {n(y + 34)}L{n(CX + r2)} {n(y + h)}L{n(CX + r2 * .5)} {n(y + h - 5)}L{CX} {n(y + h + 1)}L{n(CX - r2 * .5)} {n(y + h - 5)}L{n(CX - r2)} {n(y + h)}L{n(CX - r0)} {n(y + 34)}L{n(CX - r0 - 2)} {n(y + 30)}Z"
        o = path(d, colour) + path(d, "url(#k)") + path(f"M{n(CX - r0 - 2)} {n(y + 23)}q{n(r0 + 2)} 4 {n(2 * r0 + 4)} 0M{n(CX - r0 - 2)} {n(y + 29)}q{n(r0 + 2)} 4 {n(2 * r0 + 4)} 0", stroke=shade(colour, -.4), w=1, op=.6)
        return o + "".join(path(f"M{n(CX - r0 + 4 + k * 9)} {n(y + 40 + k % 2 * 9)}l3 {14 - k * 2}", stroke="#fff", w=.8, op=.25) for k in range(4)) + circ(CX, y + h - 22, 5.5, lit, .8)
    if kind == "crown":
        y = y0 - 8
        return path(f"M{n(CX - r0 - 2)} {n(y + 3)}Q{n(CX - r0)} {n(y - 2)} {n(CX - r0 + 4)} {n(y - 2)}H{n(CX + r0 - 4)}Q{n(CX + r0)} {n(y - 2)} {n(CX + r0 + 2)} {n(y + 3)}L{n(CX + r0 + 3.5)} {n(y + 13)}H{n(CX - r0 - 3.5)}Z", colour) + "".join(rect(CX - r0 - 2.2 + k * (2 * r0 + 4) / 8, y + 4, 1.5, 9, "#000", 0, .28) for k in range(9)) + rect(CX - r0 + 2, y, r0 * .5, 11, "#fff", 2, .4)
    if kind == "wax":
        y, h = y0 - 14, 56
        r, r2 = r0 + 3, radius_at(shape, y0 + 44) + 3
        drips, step = (2, 13, 5, 18, 3), 2 * r2 / 5
        d = f"M{n(CX - r)} {n(y + 6)}Q{n(CX - r)} {n(y)} {n(CX - r + 6)} {n(y)}H{n(CX + r - 6)}Q{n(CX + r)} {n(y)} {n(CX + r)} {n(y + 6)}L{n(CX + r2)} {n(y + h - 10)}"
        for k, drip in enumerate(drips):
            d += f"q-1 {drip + 6} {n(-step / 2)} {drip + 6}t{n(-step / 2)} {-drip - 6}"
        d += "Z"
        return path(d, colour) + path(d, "url(#k)") + path(f"M{n(CX - r + 6)} {n(y + 8)}v{h - 24}", stroke="#fff", w=3, op=.4)
    if kind.startswith("stopper"):
        gold = kind == "stopper-gold"
        c, e = ("#d9b463", "#8a6420") if gold else (shade(glass[1], -.04), glass[0])
        y = y0 - 34
        return circ(CX, y, 29, c) + circ(CX, y, 29, "url(#ball)") + circ(CX, y, 29, "none", stroke=e, sw=1.3) + circ(CX - 10, y - 10, 8, "#fff", .65) + rect(CX - r0 - 4, y0 - 9, 2 * r0 + 8, 11, "#a77b34", 3) + rect(CX - r0 - 1, y0 - 7, 14, 2.4, "#f2dca6", 1, .9)
    # corks
    lightc, darkc = ("#4a382a", "#2a1e14") if kind == "cork-dark" else ("#c79d6c", "#916a40")
    y, r = y0 - 27, r0 + 3.5
    o = rect(CX - r, y, 2 * r, 28, darkc, 4) + rect(CX - r + 2, y, 2 * r * .5, 28, lightc, 4) + rect(CX - r, y, 2 * r, 3, "#fff", 2, .28) + rect(CX - r, y + 23, 2 * r, 5, "#000", 2, .14)
    return o + ("".join(circ(CX - r + 5 + (k * 13) % (2 * r - 9), y + 7 + (k * 7) % 14, .9, "#6b4a2a", .6) for k in range(7)) if kind == "cork" else rect(CX - r, y + 12, 2 * r, 2, lit, 0, .7))


SHADOW = '<radialGradient id="s"><stop offset="0" stop-color="#1a120a" stop-opacity=".46"/><stop offset=".5" stop-color="#1a120a" stop-opacity=".18"/><stop offset="1" stop-color="#1a120a" stop-opacity="0"/></radialGradient>'
PAPER = grad("p", [(0, "#000", .34), (.1, "#000", .09), (.26, "#fff", .17), (.5, "#000", 0), (.8, "#000", .1), (1, "#000", .4)])


def word_of(p):
    sw = p["switch"]
    if "L" in sw:
        return sw["L"]
    if p["age"] and p["age"].isdigit():
        return p["age"]
    return str(p["vintage"]) if p["vintage"] else f"{p['abv']:g}%"


def sub_of(p):
    s = p["style"].upper()
    if p["vintage"] and word_of(p) != str(p["vintage"]):
        s += f" · {p['vintage']}"
    elif p["age"] and p["age"].isdigit() and word_of(p) != p["age"]:
        s += f" · {p['age']} YEARS"
    else:
        s += f" · {p['abv']:g}%" if len(s) < 22 else ""
    return s


def draw(p):
    key = p["maker"]["key"]
    shape_name, glass_name, family, emblem, cap, font, brand, palettes = H[key]
    paper, ink, acc = palettes[p["nth"] % len(palettes)]
    if len(palettes) < 4 and p["nth"] >= len(palettes):      # a second round of a short palette: another accent
        acc = shade(acc, -.22) if p["nth"] % 2 else shade(acc, .12)
    pal = {"paper": paper, "ink": ink, "acc": acc}
    sw, style, liquid = p["switch"], p["style"], p["liquid"]
    emblem = FRUIT.get(p["profile"], emblem)
    if "SHEEP" in sw.get("L", ""):
        emblem = e_sheep
    if vessel(p) == "can":
        return can(p, pal, emblem, font, brand)
    shape_name = {"bordeaux": "bordeaux", "champ": "champ", "flute": "flute", "burgundy": "burgundy", "beer": "beer"}.get(sw.get("S"), shape_name)
    if sw.get("S") == "stone":
        shape_name, glass_name, cap = "jug", "cream" if key == "dallae" else "iron", "cork"
    if sw.get("S") == "champ":
        glass_name, cap = {"quiet": "leaf", "drossel": "leaf"}.get(key, "green"), "foil"
        family = l_shield if family is l_print else family
    if sw.get("S") == "bordeaux":
        glass_name, cap = ("dark" if liquid == "redwine" else "clear"), "capsule"
        family = l_estate if family is l_print else family
    if sw.get("S") == "flute":
        glass_name, cap = "leaf", "capsule"
    if sw.get("S") == "burgundy":
        glass_name, cap = "olive", "capsule"
    if liquid == "rose" or p["profile"] == "orange" or key == "fuyu" and liquid in ("cloudy", "amber"):
        glass_name = "rose" if liquid == "rose" else "clear" if p["profile"] == "orange" or key == "fuyu" else glass_name
    if key in ("cigal", "marqu", "onaba", "perrau", "rover", "kereru") and liquid in ("pale", "straw", "gold") and shape_name in ("bordeaux", "burgundy"):
        glass_name = "leaf" if key in ("perrau", "onaba", "rover") else "clear"
    if key == "kereru" and liquid == "redwine":
        glass_name = "olive"
    if key == "marani" and liquid in ("redwine", "clear"):
        glass_name = "dark" if liquid == "redwine" else "clear"
    if key == "salgue" and liquid in ("copper", "amber", "straw"):
        glass_name = "clear"
    if key == "salgue" and "TINTO" in sw.get("L", ""):
        shape_name, cap = "burgundy", "capsule"
    if key == "aldar" and liquid in ("straw", "amber"):
        glass_name = "clear"
    if key == "hautb" and sw.get("S") == "champ":
        glass_name = "green"
    if key == "kiri" and not sw.get("S") and p["nth"] % 2:
        glass_name = "clear" if p["nth"] == 1 else "green"
    if key == "hollow" and "BACCHUS" in sw.get("L", ""):
        pal = {"paper": "#f7f5ea", "ink": "#2a4634", "acc": "#8fae4a"}
        family, glass_name = l_estate, "leaf"
    if glass_name == "rose" and family is l_print:
        pal = {"paper": "#fff", "ink": "#7a2438", "acc": "#b5405a"}
    if family is l_print and glass_name in ("clear", "ice", "frost") and liquid in ("plum", "red", "redwine", "mahogany", "cola"):
        pal = {"paper": "#fff", "ink": "#fff7ee", "acc": "#ffe1c9"}
    if family is l_print and glass_name == "clear" and liquid in ("gold", "amber"):
        pal = {"paper": "#fff", "ink": "#3a1f0c", "acc": "#6d3410"}

    shape = SHAPES[shape_name]
    edge, mid, lit, see = glass = GLASS[glass_name]
    body_r = max(c[-2] for c in shape[1])
    top, bot = {"squat": (336, 506), "whisky": (318, 500), "square": (296, 496), "apothecary": (300, 500), "bordeaux": (352, 500), "burgundy": (386, 510), "flute": (376, 512), "champ": (388, 512), "bell": (386, 514), "decanter": (344, 500), "isho": (318, 492), "tall": (300, 500), "round": (322, 500),
                "potstill": (366, 510), "bulb": (330, 506), "slim": (330, 500), "beer": (374, 506), "stubby": (372, 508), "gascon": (388, 512), "jug": (350, 500), "hex": (316, 508), "port": (330, 498), "drum": (318, 506)}[shape_name]
    r = min(radius_at(shape, top + 10), radius_at(shape, bot - 10), body_r)
    L = {"r": r, "top": top, "bot": bot, "pal": pal, "brand": brand, "word": word_of(p), "sub": sub_of(p), "font": font, "weight": 600 if font in (PAL, CEN, GOTH) else None, "italic": font in (PAL, CEN) and brand[1:] != brand[1:].upper(), "emblem": emblem, "loud": True, "seal": key in ("mizuhara", "fuyu", "kiri"), "slug": p["slug"]}
    label, box = family(L)

    body = outline(shape)
    defs = [f'<clipPath id="c"><path d="{body}"/></clipPath>', f'<clipPath id="lab"><rect x="{n(CX - r)}" y="{top}" width="{n(2 * r)}" height="{bot - top + 12}"/></clipPath>', SHADOW,
            grad("g", [(0, edge, 1), (.06, mid, 1), (.19, lit, 1), (.4, mid, 1), (.8, mid, 1), (.93, edge, 1), (.97, lit if see else mid, 1), (1, edge, 1)]), grad("h", [(0, "#fff", .8), (.5, "#fff", .42), (1, "#fff", .06)], True), PAPER,
            grad("v", [(0, "#000", 0), (.7, "#000", 0), (1, "#000", .2)], True), grad("k", [(0, "#000", .42), (.16, "#000", .05), (.3, "#fff", .42), (.46, "#fff", .04), (.78, "#000", .12), (1, "#000", .45)]),
            '<radialGradient id="ball" cx=".36" cy=".32" r=".75"><stop offset="0" stop-color="#fff" stop-opacity=".7"/><stop offset=".6" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".28"/></radialGradient>']
    o = [f'<ellipse cx="{CX + 7}" cy="{BASE - 1}" rx="{n(body_r * 1.62)}" ry="15" fill="url(#s)"/><ellipse cx="{CX + 2}" cy="{BASE}" rx="{n(body_r * .96)}" ry="5" fill="#140d06" fill-opacity=".34"/>', f'<path d="{body}" fill="url(#g)"/>', '<g clip-path="url(#c)">']
    fill_y = shape[0][1] + (62 if shape_name in ("bordeaux", "burgundy", "flute", "champ", "isho") else 84)
    if see:
        deep, bright = LIQUID[liquid]
        fill_y = max(fill_y, shape[0][1] + 70)
        if shape_name in ("whisky", "squat", "apothecary", "round", "drum", "bell", "decanter", "gascon", "potstill", "bulb", "hex"):
            fill_y = shape[0][1] + 104 if shape_name in ("whisky", "round", "bulb", "hex") else shape[0][1] + 84
        defs += [f'<clipPath id="i"><path d="{outline(shape, 7, 13)}"/></clipPath>', grad("q", [(0, shade(deep, -.18), 1), (.1, deep, 1), (.24, bright, 1), (.4, bright, 1), (.74, deep, 1), (.93, bright, 1), (1, deep, 1)]), grad("u", [(0, "#fff", .16), (.35, "#fff", 0), (.75, "#000", 0), (1, "#000", .04 if liquid in ("clear", "ice", "pale") else .2)], True)]
        rr = max(radius_at(shape, fill_y) - 7, 4)
        o.append(f'<g clip-path="url(#i)">{rect(CX - body_r, fill_y, 2 * body_r, BASE - 13 - fill_y, "url(#q)")}{rect(CX - body_r, fill_y, 2 * body_r, BASE - 13 - fill_y, "url(#u)")}'
                 f'<ellipse cx="{CX}" cy="{n(fill_y)}" rx="{n(rr)}" ry="2.6" fill="{shade(bright, .35)}"/></g>')
        o.append(f'<ellipse cx="{CX}" cy="{BASE - 13}" rx="{n(body_r - 12)}" ry="4" fill="#fff" fill-opacity=".28"/>')
        if p["family"] == "sparkling" or liquid == "cloudy":
            d = Dice("bubbles " + p["slug"])
            o.append("".join(circ(CX - r + 12 + d.f() * (2 * r - 24), fill_y + 40 + d.f() * 230, .8 + d.f() * 1.2, "#fff", .6) for _ in range(26)))
    else:
        # a coloured bottle is a shade darker up to where it is full
        o.append(rect(0, fill_y, 480, 600, "#000", 0, .13 if glass_name not in ("cream", "stone") else 0))
        if glass_name in ("cream", "stone", "iron"):
            d = Dice("speckle " + p["slug"])
            o.append("".join(circ(CX - body_r + d.f() * 2 * body_r, 220 + d.f() * 340, .5 + d.f() * .9, "#3a2c1c" if glass_name != "iron" else "#d9cbb8", .4) for _ in range(110)))
            if glass_name == "cream":
                o.append(rect(0, 150, 480, 106, shade(acc, -.2), 0, .85) + path("M100 256q28 30 56 12t50 14 52-14 60 14 62-12V256H100z", shade(acc, -.2), op=.85))
    if glass_name == "frost":
        o.append(rect(0, 0, 480, 600, "#fff", 0, .2))
    o.append(rect(0, 0, 480, 600, "url(#v)"))
    if box:      # the paper lies on the glass: a thin dark line under it, then its own roundness over it
        bx, by, bw, bh = box[:4]
        rx = box[4] if len(box) > 4 else 2
        if family in (l_frame, l_strip, l_apoth):
            o.append(rect(bx - 1, by, bw + 3, bh + 2.5, "#000", 3, .25))
        o.append(label)
        if family in (l_oval,):
            o.append(f'<ellipse cx="{CX}" cy="{n(by + bh / 2)}" rx="{n(bw / 2)}" ry="{n(bh / 2)}" fill="url(#p)"/>')
        elif family is l_shield:
            o.append(label.split("/>")[0].replace(f'fill="{pal["paper"]}"', 'fill="url(#p)"') + "/>")
        elif family is l_apoth:
            o.append(label.split("/>")[0].replace(f'fill="{pal["paper"]}"', 'fill="url(#p)"') + "/>")
        elif family in (l_classic, l_estate, l_split):
            o.append(sheet(bx, by, bw, bh, "url(#p)", 4 if family is l_estate else 5))
        else:
            o.append(rect(bx, by, bw, bh, "url(#p)", min(rx, 3)))
    else:
        o.append(label)
    hy = shape[0][1]
    ys = [y for y in range(int(hy) + 60, top - 4, 6) if 24 < radius_at(shape, y) < body_r * .985]
    if len(ys) > 4:      # light running down the shoulder
        o.append(path("M" + "L".join(f"{n(CX - radius_at(shape, y) * .86 + 3)} {y}" for y in ys), stroke="#fff", w=6, op=.3 if see else .2))
    shoulder = next(c[-1] for c in shape[1] if c[-2] > body_r * .82)
    op = .62 if see else .36
    o.append(f'<rect x="{n(CX - body_r + 9)}" y="{n(shoulder + 6)}" width="9" height="{n(BASE - shoulder - 32)}" rx="4.5" fill="url(#h)" opacity="{op}"/>')
    o.append(f'<rect x="{n(CX - shape[0][0] + 4)}" y="{n(hy + 4)}" width="4.6" height="{n(max(30, 190 - hy * .6))}" rx="2.3" fill="url(#h)" opacity="{op + .15:.2f}"/>')
    o.append(f'<rect x="{n(CX + body_r - 9)}" y="{n(shoulder + 16)}" width="2.2" height="{n(BASE - shoulder - 46)}" rx="1.1" fill="#fff" opacity="{.4 if see else .2}"/>')
    o.append("</g>")
    # a collar on the neck of the tall ones
    colour = acc if cap in ("capsule", "crown", "wax", "foil", "capsule-short") else "#444444"
    if cap == "foil" and key in ("hurte", "spreeuw", "hollow"):
        colour = {"hollow": "#c9b178"}.get(key, shade(acc, -.08))
    if cap == "capsule" and key in ("mizuhara", "fuyu", "kiri", "dallae"):
        colour = shade(pal["acc"], -.2)
    o.append(cap_of(cap, shape, colour, shade(colour, .6), glass))
    scale = {1500: 1.03, 3000: 1.04, 1800: 1.03, 500: .9, 375: .82, 350: .82, 200: .68, 330: .9, 360: .84, 400: .88}.get(int(p["ml"]), .96)
    inner = f'<g transform="translate({n(CX * (1 - scale))} {n(BASE * (1 - scale))}) scale({scale})">{"".join(o)}</g>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {FRAME}><defs>{"".join(defs)}</defs>{inner}</svg>\n'


def can(p, pal, emblem, font, brand):
    """A can is all label: a pattern above, a plain band for the words."""
    tall = p["ml"] >= 400
    w, top = (138, 250) if tall else (120, 300)
    x = CX - w / 2
    body = f"M{n(x)} {top + 24}Q{n(x)} {top + 15} {n(x + 10)} {top}H{n(x + w - 10)}Q{n(x + w)} {top + 15} {n(x + w)} {top + 24}V{BASE - 17}Q{n(x + w)} {BASE - 8} {n(x + w - 12)} {BASE}H{n(x + 12)}Q{n(x)} {BASE - 8} {n(x)} {BASE - 17}Z"
    d = Dice("can " + p["slug"])
    dark, paper, acc = pal["ink"], pal["paper"], pal["acc"]
    if sum(int(dark[i:i + 2], 16) for i in (1, 3, 5)) > 420:
        dark, paper = paper, dark
    field, kind = acc, p["id"] % 4
    o = rect(x, top + 17, w, BASE - top - 29, field)
    band = BASE - (118 if tall else 104)
    cols = [dark, paper, shade(acc, .4), shade(acc, -.3)]
    if kind == 0:
        s = w / 4
        for j in range(int((band - top) / s) + 1):
            for i in range(4):
                X, Y, c = x + i * s, top + 17 + j * s, d.pick(cols)
                o += d.pick([path(f"M{n(X)} {n(Y)}H{n(X + s)}A{n(s)} {n(s)} 0 0 1 {n(X)} {n(Y + s)}Z", c), path(f"M{n(X + s)} {n(Y + s)}H{n(X)}A{n(s)} {n(s)} 0 0 1 {n(X + s)} {n(Y)}Z", c), circ(X + s / 2, Y + s / 2, s * .4, c)])
    elif kind == 1:
        o += "".join(path(f"M{n(x)} {n(top + 30 + i * 16)}q{n(w / 8)}-14 {n(w / 4)} 0t{n(w / 4)} 0 {n(w / 4)} 0 {n(w / 4)} 0", stroke=cols[i % 4], w=6) for i in range(12))
    elif kind == 2:
        o += "".join(path(f"M{CX} {n(band)}L{n(CX + 300 * math.cos(a))} {n(band - 300 * math.sin(a))}L{n(CX + 300 * math.cos(a + .12))} {n(band - 300 * math.sin(a + .12))}Z", shade(acc, .3)) for a in [k * .24 for k in range(14)]) + circ(CX, band - 8, w * .3, paper)
    else:
        o += "".join(path(f"M{n(x - 120 + i * 26)} {n(band)}l150-190", stroke=cols[i % 4], w=8) for i in range(11))
    cy = (top + 17 + band) / 2 + 4
    o += circ(CX, cy, w * .31, paper) + circ(CX, cy, w * .285, "none", stroke=dark, sw=1.4) + at(CX, cy, w / 185, emblem(dark, acc))
    o += rect(x, band, w, BASE - band - 26, paper) + rect(x, band, w, 3, dark) + text(brand, band + 26, 18, dark, w * .8, font=font, weight=600, sp=.5) + text(word_of(p), band + 54, 27, shade(acc, -.2), w * .78, font=font, weight=600) + text(p["style"].upper(), band + 70, 8, dark, w * .8, font=SANS) + (text(f"{p['ml']:g} ML · {p['abv']:g}%", band + 82, 6.8, dark, w * .6, font=SANS) if tall else "")
    defs = (f'<clipPath id="c"><path d="{body}"/></clipPath>' + SHADOW + grad("m", [(0, "#84898d", 1), (.2, "#f6f7f7", 1), (.5, "#b4b8bb", 1), (.85, "#e6e8e9", 1), (1, "#767b7e", 1)])
            + grad("p", [(0, "#000", .42), (.1, "#000", .12), (.2, "#fff", .4), (.34, "#fff", .06), (.7, "#000", .05), (.9, "#000", .2), (1, "#000", .46)]))
    out = f'<ellipse cx="{CX + 6}" cy="{BASE - 1}" rx="{n(w * .84)}" ry="13" fill="url(#s)"/><path d="{body}" fill="url(#m)"/>' + rect(x + 7, top - 7, w - 14, 9, "url(#m)", 4) + rect(x + 14, top - 4, w - 28, 2, "#000", 1, .22) + f'<g clip-path="url(#c)">{o}{rect(x, top, w, BASE - top, "url(#p)")}{rect(x, BASE - 12, w, 12, "url(#m)", 0, .8)}</g>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {FRAME}><defs>{defs}</defs>{out}</svg>\n'


def write(products, svgs, pictures, only=None):
    """SVGs first; a picture is made again only if its drawing changed (its hash is the SVG's neighbour)."""
    from catalogue import NO_PICTURE
    svgs.mkdir(parents=True, exist_ok=True)
    pictures.mkdir(parents=True, exist_ok=True)
    todo, names = [], set()
    for p in products:
        if p["name"] in NO_PICTURE:
            continue
        names.add(p["slug"] + ".webp")
        svg, webp, mark = svgs / (p["slug"] + ".svg"), pictures / (p["slug"] + ".webp"), svgs / (p["slug"] + ".sha256")
        data = draw(p).encode("utf-8")
        svg.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        if webp.exists() and mark.exists() and mark.read_text() == digest:
            continue
        todo.append((svg, webp, mark, digest))

    def make(job):
        svg, webp, mark, digest = job
        png = svg.with_suffix(".png")
        subprocess.run(["rsvg-convert", "-w", "600", "-h", "800", "-o", png, svg], check=True)
        subprocess.run(["cwebp", "-quiet", "-q", "80", "-alpha_q", "85", "-m", "6", "-sharp_yuv", png, "-o", webp], check=True)
        png.unlink()
        mark.write_text(digest)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(make, todo))
    for old in pictures.glob("*.webp"):
        if old.name not in names:
            old.unlink()
    print(f"{len(todo)} pictures made, {len(names)} in all, {sum(f.stat().st_size for f in pictures.glob('*.webp')) // 1000} kB")
