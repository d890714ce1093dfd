import Basics
import Foundation
import Synchronization

/// A visitor who comes again and again while a site is published: begins at the home page of a folder, follows every link,
/// and notes what it meets that it should not: links to nothing, missing pictures and styles, halves of files.
///
/// Between publishings nothing changes there, and what it would take of the processor is missing elsewhere.
final class Crawler: @unchecked Sendable {
    // The thread has the rest to itself; what is shared is behind the mutex and the semaphore.
    private let read: @Sendable (String) -> [UInt8]?
    private let isWhole: @Sendable ([UInt8]) -> Bool
    private let mayMiss: Bool
    private struct State {
        var faults: [String] = []
        var rounds = 0, pages = 0
        var isResting = true, isStopped = false
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    /// Of the thread alone.
    private var known: [Page: [String]] = [:]
    private var met: Set<String> = []

    private struct Page: Hashable {
        let path: String
        let content: Fingerprint
    }

    /// - Parameters:
    ///   - read: the bytes of a file; nil if there is none.
    ///   - mayMiss: whether a page that was there may be missing: while it is replaced, or since a run was cut then.
    ///   - isWhole: whether bytes are those of a file that some build wrote.
    init(
        mayMiss: Bool = false, isWhole: @escaping @Sendable ([UInt8]) -> Bool,
        read: @escaping @Sendable (String) -> [UInt8]?
    ) {
        self.read = read
        self.mayMiss = mayMiss
        self.isWhole = isWhole
        let thread = Thread { [self] in
            while goesOn() {
                // Ten times as long as it read it rests: a round takes some milliseconds, and what it takes of the processor the
                // publishing has not. What lasts no longer than that is looked for where the kernel tells of it (ReplacementTests).
                let start = monotonicSeconds()
                round()
                usleep(UInt32(max(20_000, (monotonicSeconds() - start) * 10_000_000)))
            }
            ended.signal()
        }
        thread.start()
    }

    /// Begins to read, or rests.
    func rest(_ isResting: Bool) { state.withLock { $0.isResting = isResting } }

    /// Waits while it is to rest; false when it has ended.
    private func goesOn() -> Bool {
        while true {
            let (isStopped, isResting) = state.withLock { ($0.isStopped, $0.isResting) }
            if isStopped || !isResting { return !isStopped }
            usleep(5000)
        }
    }

    /// Ends the visit. What was wrong, and how much was seen.
    func stop() -> (faults: [String], rounds: Int, pages: Int) {
        state.withLock { $0.isStopped = true }
        ended.wait()
        return state.withLock { ($0.faults, $0.rounds, $0.pages) }
    }

    private func fault(_ text: String) {
        state.withLock { if $0.faults.count < 20 { $0.faults.append(text) } }
    }

    /// The links of a page. Taking a page apart takes longer than reading it, and most have been seen before.
    private func links(_ bytes: [UInt8], in page: String) -> [String] {
        let key = Page(path: page, content: Fingerprint(of: bytes))
        if let links = known[key] { return links }
        let links = Self.links(String(decoding: bytes, as: UTF8.self), in: page)
        known[key] = links
        return links
    }

    private func round() {
        guard read("index.html") != nil else { return }
        var queue = ["index.html"]
        var seen: Set<String> = ["index.html"]
        while let page = queue.popLast(), goesOn() {
            guard let bytes = read(page) else { continue }
            if !isWhole(bytes) { fault("\(page) is not whole: \(bytes.count) bytes") }
            met.insert(page)
            state.withLock { $0.pages += 1 }
            for link in links(bytes, in: page) where seen.insert(link).inserted {
                guard link.hasSuffix(".html") else {
                    if let bytes = read(link) {
                        if !isWhole(bytes) { fault("\(link) is not whole: \(bytes.count) bytes") }
                    } else {
                        check(link, from: page)
                    }
                    continue
                }
                if read(link) == nil { check(link, from: page) } else { queue.append(link) }
            }
        }
        state.withLock { $0.rounds += 1 }
    }

    /// A link is broken if the page, read again now, still has it, and there still is nothing: a page that was read a while
    /// ago may lead to what has gone since.
    private func check(_ link: String, from page: String) {
        guard let bytes = read(page), links(bytes, in: page).contains(link), read(link) == nil,
            !(mayMiss && met.contains(link))
        else { return }
        fault("\(page) leads to \(link), which is missing")
    }

    /// The files that a page refers to, from the top.
    static func links(_ text: String, in page: String) -> [String] {
        var out: [String] = []
        for mark in [" href=\"", " src=\""] {
            for part in text.split(separator: mark, omittingEmptySubsequences: false).dropFirst() {
                let link = part.prefix { $0 != "\"" }.prefix { $0 != "#" && $0 != "?" }
                guard !link.isEmpty, !link.contains(":"), !link.hasPrefix("//") else { continue }
                var parts = page.split(separator: "/").dropLast().map(String.init)
                for step in link.split(separator: "/", omittingEmptySubsequences: false) {
                    if step == ".." {
                        _ = parts.popLast()
                    } else if step != ".", !step.isEmpty {
                        parts.append(String(step))
                    }
                }
                if link.hasSuffix("/") || parts.isEmpty { parts.append("index.html") }
                out.append(parts.joined(separator: "/"))
            }
        }
        return out
    }
}
