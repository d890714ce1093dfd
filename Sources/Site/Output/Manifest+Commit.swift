import Basics
import Database

/// The steps of a commit that are still to be done, and how things were before it.
extension Manifest {
    /// What a commit has promised to do with a file.
    struct Step: Sendable {
        enum Kind: String, Sendable {
            /// Bring the staged file to its place.
            case place
            /// Remove the file, if it still is what we wrote.
            case remove
            /// Bring a folder that is not ours from the old tree to the new one.
            case move
        }

        let kind: Kind
        let path: String
        /// Of the file's bytes.
        var content: UInt64 = 0
        var size = 0

        init(_ kind: Kind, _ file: File) {
            self.kind = kind
            path = file.path
            content = file.content
            size = file.size
        }

        init(_ kind: Kind, path: String) {
            self.kind = kind
            self.path = path
        }
    }

    func setPending(_ steps: [Step]) throws {
        try run {
            let statement = try connection.prepare("INSERT INTO pending VALUES (?, ?, ?, ?, ?)")
            for (position, step) in steps.enumerated() {
                statement.bind(1, Int64(position))
                statement.bind(2, step.kind.rawValue)
                statement.bind(3, step.path)
                statement.bind(4, Int64(bitPattern: step.content))
                statement.bind(5, Int64(step.size))
                try statement.run()
            }
        }
    }

    /// The steps in their order. Paths of foreign folders can be anything that stays inside.
    func pending() throws -> [Step] {
        try run {
            let statement = try connection.prepare(
                "SELECT kind, substr(path, 1, 4096), content, size FROM pending ORDER BY position")
            var steps: [Step] = []
            while try statement.step() {
                guard let kind = Step.Kind(rawValue: statement.text(0)) else {
                    throw damaged("an unknown step is pending")
                }
                var step = Step(kind, path: statement.text(1))
                step.content = UInt64(bitPattern: statement.integer(2))
                step.size = Int(statement.integer(3))
                if kind == .move {
                    let parts = step.path.split(separator: "/", omittingEmptySubsequences: false)
                    if parts.contains(where: { ["", ".", ".."].contains($0) }) {
                        throw damaged("it names the folder '\(step.path)'")
                    }
                } else {
                    try check(step.path)
                    guard step.size >= 0 else { throw damaged("a size is below zero") }
                }
                steps.append(step)
            }
            return steps
        }
    }

    /// The commit is done: forgets its steps and how things were before.
    func clearPending() throws {
        try run {
            try connection.execute("DELETE FROM pending")
            try connection.execute("DELETE FROM previous")
        }
    }

    /// The commit is taken back: rows that it replaced or removed return. Rows of files that it added stay, and are
    /// found to be without a file when the next build looks at everything.
    func restorePrevious() throws {
        try run {
            try connection.execute("INSERT OR REPLACE INTO files SELECT * FROM previous")
            try clearPending()
            for key in ["stamp", "beside", "rows", "plan"] { try set(key, nil) }
        }
    }
}
