import Basics
import Formats

// What makes the site one that can be put on a device: the service worker and the web app's manifest.
extension SiteRenderer {
    /// `sw.js`: the theme's service worker after the names that the build gives it.
    ///
    /// It changes only when a file of the theme or one of its texts does: a worker that changed with every price would
    /// be fetched and started anew by every visitor, and drop what it has kept.
    func serviceWorker() -> [UInt8] {
        guard settings.isOffline, !assets.serviceWorker.isEmpty else { return Array(Self.lastWorker.utf8) }
        var texts = JSONWriter()
        texts.object { writer in
            for (key, text) in [
                ("language", locale.tag), ("direction", locale.direction),
                ("title", strings["offline_title"]),
                ("text", strings["offline_text"]), ("home", strings["go_home"]), ("css", assets.styleSheet),
            ] {
                writer.key(key)
                writer.value(text)
            }
        }
        let version = Fingerprint(
            of: assets.fingerprint.hex + String(decoding: assets.serviceWorker, as: UTF8.self))
        let said = String(decoding: texts.bytes, as: UTF8.self)
        return Array("const version='\(version.short)',texts=\(said);\n".utf8) + assets.serviceWorker
    }

    /// The worker of a site that has switched it off: visitors who have an earlier one get rid of it and of what it kept.
    static let lastWorker = """
        addEventListener('install', () => skipWaiting());
        addEventListener('activate', e => e.waitUntil((async () => {
          const prefix = `build-site:${new URL(registration.scope).pathname}:`;
          for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
          await registration.unregister();
        })()));

        """

    /// `site.webmanifest`.
    func webManifest() -> [UInt8] {
        var json = JSONWriter(isPretty: true)
        json.object { writer in
            func member(_ key: String, _ text: String?) {
                guard let text else { return }
                writer.key(key)
                writer.value(text)
            }
            member("name", settings.title)
            member("short_name", settings.title)
            member("description", settings.summary ?? settings.tagline)
            member("lang", locale.tag)
            member("dir", locale.direction)
            member("id", "./")
            member("start_url", "./index.html")
            member("scope", "./")
            member("display", "standalone")
            member("background_color", "#e9e2d6")
            member("theme_color", "#e9e2d6")
            writer.key("icons")
            writer.array { writer in
                for icon in assets.appIcons {
                    writer.object { writer in
                        for (key, text) in [("src", icon.path), ("sizes", icon.sizes), ("type", icon.type)] {
                            writer.key(key)
                            writer.value(text)
                        }
                    }
                }
            }
        }
        return json.bytes + [0x0A]
    }
}
