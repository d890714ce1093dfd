/// The small site that `build-site init` makes when there is no database yet.
enum StarterSite {
    static let files: [(name: String, text: String)] = [
        ("content/site.yaml", settings), ("content/lists.json", lists), ("content/pages/about.md", about),
        ("content/pages/delivery.md", delivery), ("content/pages/privacy.md", privacy),
        ("content/pictures/README.md", pictures), ("templates/not-found.mustache", template),
        (".gitignore", ignored),
    ]

    static let settings = """
        # The settings of the site. Only the title is needed; docs/settings.md describes every key.

        title: The Tea Cupboard
        tagline: Three teas, and room for more.
        description: A small shop to begin with.

        # The address that the site will have. Feeds, sitemaps and search engines need it.
        # url: https://tea.example/

        # A BCP 47 tag and an ISO 4217 code: they decide how numbers, dates and prices are written.
        language: en-GB
        currency: GBP

        # The database, an SQLite file beside this one. It has the tables of docs/schema.sql; change it with
        #   sqlite3 content/shop.db
        # or let 'build-site init DIR --database FILE' write the queries for a database of your own.
        database: shop.db

        # How texts in the database are written: html (the default), markdown or plain.
        notes:
          tasting_note: markdown

        # What the shop can be browsed by, in this order: fields of the products, and names of the table 'facets'.
        browse_by:
          - producer
          - country
          - {key: Harvest, plural: Harvests}

        # How lists of products are ordered: name, newest or price.
        order: name

        # inline, or deferred: on a page of their own that the product's page fetches.
        reviews: inline

        # Words of the theme that this shop says differently; docs/templates.md has all keys.
        texts:
          products: {one: "{n} tea", other: "{n} teas"}
          all_products: All teas
          producer: Garden
          producers: Gardens

        # Customers' wish lists, baskets and collections: each customer has pages with an address that nobody can guess.
        lists: lists.json

        footer: The Tea Cupboard is an example. Nothing here can be bought.

        """

    static let rows = """
        INSERT INTO products(id, name, producer, style, country, region, price_minor, stock, summary, bottling_note, tasting_note, colour, featured, created) VALUES
          (1, 'Morning Ridge', 'Balloo Estate', 'Black tea', 'India', 'Assam', 850, 24, 'A brisk black tea for the first cup of the day.',
            '<p>Picked in the second flush, rolled by hand, <em>fired twice</em>.</p>', 'Malt, **honey**, a little smoke.', '#8a4b20', 1, '2026-03-02'),
          (2, 'Stone Garden Sencha', 'Nagi Farm', 'Green tea', 'Japan', 'Shizuoka', 1420, 3, 'A green tea, steamed for a minute.',
            '<p>From bushes that were planted in 1974.</p>', 'Grass after rain.', '#5f7d3a', 2, '2026-04-18'),
          (3, 'Quiet Evening', 'Balloo Estate', 'Herb tea', 'India', NULL, 640, 0, 'Camomile, lemon balm and nothing that keeps awake.',
            NULL, NULL, '#b9912e', NULL, '2026-05-05');
        INSERT INTO categories(id, parent_id, position, name, description) VALUES
          (1, NULL, 1, 'Tea', 'From the leaves of the tea bush.'), (2, 1, 1, 'Black', NULL), (3, 1, 2, 'Green', NULL), (4, NULL, 2, 'Herbs', 'From everything else.');
        INSERT INTO product_categories(product_id, category_id) VALUES (1, 2), (2, 3), (3, 4);
        INSERT INTO facts(product_id, position, name, value) VALUES (1, 1, 'Water', '95 °C, 4 minutes'), (2, 1, 'Water', '70 °C, 1 minute');
        INSERT INTO facets(product_id, facet, value) VALUES (1, 'Harvest', 'Summer'), (2, 'Harvest', 'Spring'), (3, 'Harvest', 'Summer');
        INSERT INTO reviews(product_id, rating, author, date, title, body) VALUES
          (1, 5, 'Ann', '2026-05-11', 'Wakes the house', 'Takes milk well, and a second cup.'), (2, 4, 'Joost', '2026-05-20', NULL, 'Mind the temperature.');
        """

    static let lists = """
        {
          "version": 1,
          "customers": [
            {
              "id": "c-1",
              "name": "A. Customer",
              "lists": {
                "wish": [{"product": "2", "added": "2026-05-21", "note": "for the good pot"}],
                "basket": [{"product": "1", "quantity": 2}],
                "collection": []
              }
            }
          ]
        }

        """

    static let about = """
        ---
        title: About us
        description: Who we are.
        menu: footer
        order: 1
        ---

        This is a page of its own: Markdown below `content/pages`. Its address is its file's name.

        Links to other pages name their files: [delivery](delivery.md).

        """

    static let delivery = """
        ---
        title: Delivery
        description: What we send, where, and what it costs.
        menu: footer
        order: 2
        ---

        | Where | How long | What it costs |
        | --- | --- | ---: |
        | here | a day | £3 |
        | elsewhere | three days | £6 |

        """

    static let privacy = """
        ---
        title: Privacy
        menu: footer
        order: 3
        ---

        This site sets no cookies and loads nothing from other hosts.

        """

    static let pictures = """
        Pictures of products go here: JPEG, PNG, GIF, WebP or AVIF. The table `pictures` of the database names them:

            INSERT INTO pictures(product_id, position, file, alt) VALUES (1, 1, 'morning-ridge.jpg', 'A tin of tea');

        """

    static let template = """
        {{! A file here takes the place of the theme's of the same name: this one is the page for addresses that lead nowhere.
            docs/templates.md has all files and all fields; a misspelt one is an error with line and column. Delete the file,
            and the theme's is used again. }}
        {{<layout}}
        {{$main}}
        <div class="sheet">
        <h1>{{text.not_found_heading}}</h1>
        <p class="lead">{{text.not_found_lead}}</p>
        <p><a class="btn pri" href="{{root}}{{home.path}}">{{text.go_home}}</a></p>
        </div>
        {{/main}}
        {{/layout}}

        """

    static let ignored = """
        /public/
        /.build-site/

        """
}
