import Basics

/// How strict a set of templates is about names and types.
enum Rules: Sendable {
    /// Unknown names are errors, and only HTML goes in raw.
    case checked
    /// What the specification's cases need, whose data has no types: unknown names render as nothing, text may
    /// go in raw. Nothing that writes a site uses it.
    case lenient
}

/// Turns a template and all that it includes into a program for one schema, and reports every fault on the way.
///
/// A template is compiled once per *unit*: it, the kinds on the context stack, the blocks that fill it, its place
/// in HTML, and its indentation. Units wait in a list instead of being compiled where they are called, so that
/// recursive partials are finite and depth costs no stack.
struct Compiler {
    /// The levels of the context stack above which data is taken to nest without end. Arbitrary.
    private static let deepestShape = 64
    /// Nested blocks and sections across templates; each costs a few hundred bytes of stack. Arbitrary.
    private static let deepestBody = 400
    /// Arbitrary; a big theme has a few hundred.
    static let mostUnits = 20_000

    /// Indentation that a unit's lines get: known now, or kept by the renderer because recursion adds to it.
    enum Indentation: Hashable { case known([UInt8]), running }

    struct Key: Hashable {
        var template: Int
        var shape: [Schema.Kind]
        var filling: Int
        var place: HTMLPlace
        var indentation: Indentation
    }

    struct Unit {
        let key: Key
        /// The unit that asked for this one first.
        let creator: Int?
        var entry: Int32 = 0
    }

    /// How a value relates to the unit's own context: recursion ends only if it goes down.
    enum Relation { case same, below, other }

    struct Edge {
        let from: Int, to: Int
        let relation: Relation
        let source: Int
        let tag: Tag
    }

    /// What fills a block: a body, the template it stands in, and the filling that applies inside it.
    struct Override {
        let block: Block
        let source: Int
        let filling: Int
    }

    /// What holds at a point of a unit.
    struct Scope {
        /// The template whose bytes the nodes refer to.
        var source: Int
        var filling: Int
        var shape: [Schema.Kind]
        var relations: [Relation]
        /// What goes before each line, after the running indentation if there is one.
        var prefix: [UInt8]
        /// What lines lose at their start.
        var margin: [UInt8] = []
        var isRunning: Bool
        /// How many bodies the point is in.
        var depth = 0
    }

    let trees: [Tree]
    let names: [String: Int]
    let rules: Rules
    var program = Program()
    var units: [Unit] = []
    private var unitIndices: [Key: Int] = [:]
    var edges: [Edge] = []
    var fillings: [[String: Override]] = [[:]]
    var fillingIndices: [[FillingPart]: Int] = [[]: 0]
    var blockNames: [Int: Set<String>] = [:]
    private var seen: Set<Diagnostic> = []
    var current = 0
    var place = HTMLPlace()
    /// The next line start is in the middle of a line of the parent and gets no prefix.
    var skipsPrefix = false
    /// Where the last run of text may not be extended, because a step jumps there.
    private var barrier = 0
    var stops = false

    struct FillingPart: Hashable {
        let name: String
        let block: ObjectIdentifier
        let filling: Int
    }

    /// What compiling gives: a program if there is no error among the diagnostics.
    struct Result {
        let program: Program
        let diagnostics: [Diagnostic]
        /// The templates that the program is made of.
        let used: Set<Int>
    }

    init(trees: [Tree], names: [String: Int], rules: Rules) {
        self.trees = trees
        self.names = names
        self.rules = rules
    }

    /// Compiles the template of that number for pages of a kind.
    static func compile(
        _ template: Int, for kind: Schema.Kind, trees: [Tree], names: [String: Int], rules: Rules
    ) -> Result {
        var compiler = Compiler(trees: trees, names: names, rules: rules)
        compiler.run(template, kind)
        return Result(
            program: compiler.program, diagnostics: compiler.seen.sortedByPlace(),
            used: Set(compiler.units.map(\.key.template)))
    }

    private mutating func run(_ template: Int, _ kind: Schema.Kind) {
        _ = unit(
            Key(template: template, shape: [kind], filling: 0, place: .init(), indentation: .known([])),
            creator: nil)
        while current < units.count, !stops {
            compileUnit()
            current += 1
        }
        link()
        if rules == .checked { checkRecursion() }
    }

    // MARK: Units

    mutating func unit(_ key: Key, creator: Int?) -> Int {
        if let index = unitIndices[key] { return index }
        units.append(Unit(key: key, creator: creator))
        unitIndices[key] = units.count - 1
        return units.count - 1
    }

    private mutating func compileUnit() {
        let key = units[current].key
        let tree = trees[key.template]
        seen.formUnion(tree.diagnostics)
        units[current].entry = here()
        place = key.place
        skipsPrefix = false
        var relations = [Relation](repeating: .other, count: key.shape.count)
        relations[key.shape.count - 1] = .same
        var scope = Scope(
            source: key.template, filling: key.filling, shape: key.shape, relations: relations, prefix: [],
            isRunning: key.indentation == .running)
        if case .known(let bytes) = key.indentation { scope.prefix = bytes }
        program.depth = max(program.depth, key.shape.count)
        emit(tree.nodes, scope)
        program.steps.append(.done)
        barrier = program.steps.count
        if rules == .checked, !place.settles(from: key.place), !tree.source.bytes.isEmpty {
            let source = tree.source
            let last = source.bytes.lastIndex { $0 > 0x20 } ?? 0
            seen.insert(
                source.diagnostic(
                    .error, "unfinished-html",
                    "the template ends in \(place.noun); end it in the file in which it begins", at: last))
        }
    }

    /// Replaces the units' numbers in calls by the places where they begin.
    private mutating func link() {
        for i in program.steps.indices {
            if program.steps[i].action == .call {
                program.steps[i].target = units[Int(program.steps[i].target)].entry
            }
        }
        for i in program.tables.indices {
            for j in program.tables[i].indices {
                program.tables[i][j].entry = units[Int(program.tables[i][j].entry)].entry
            }
        }
    }

    /// Reports units that can include themselves without going down in the data.
    ///
    /// A cycle of calls ends if each turn goes to a part of the value that it began with; data is finite.
    private mutating func checkRecursion() {
        func isReachable(_ goal: Int, from start: Int, onlySame: Bool) -> Bool {
            var visited: Set<Int> = [start]
            var waiting = [start]
            while let unit = waiting.popLast() {
                if unit == goal { return true }
                for edge in outgoing[unit] ?? [] where !onlySame || edge.relation == .same {
                    if visited.insert(edge.to).inserted { waiting.append(edge.to) }
                }
            }
            return false
        }
        let outgoing = Dictionary(grouping: edges, by: \.from)
        for edge in edges where edge.relation != .below {
            if isReachable(edge.from, from: edge.to, onlySame: edge.relation == .same) {
                report(
                    "endless-recursion",
                    "'\(edge.tag.name)' includes itself with the same fields and so never ends; "
                        + "include it in a section over a part of them", edge.tag, edge.source)
            }
        }
    }

    // MARK: Nodes

    mutating func emit(_ nodes: [Node], _ scope: Scope) {
        guard scope.depth < Self.deepestBody else {
            if let tag = nodes.lazy.compactMap(\.tag).first {
                report(
                    "too-deep", "blocks and sections are nested more than \(Self.deepestBody) deep", tag,
                    scope.source)
            }
            stops = true
            return
        }
        for node in nodes {
            if stops { return }
            switch node {
            case .text(let range, let startsLine): emitText(range, startsLine, scope)
            case .value(let tag, let isRaw):
                emitValue(tag, isRaw: isRaw, scope)
                skipsPrefix = false
            case .section(let tag, let body, let isInverted):
                emitSection(tag, body, isInverted: isInverted, scope)
            case .partial(let tag, let indentation, let isDynamic):
                if isDynamic {
                    emitChoice(tag, indentation, scope)
                } else if let template = template(tag, "unknown-partial", scope) {
                    emitCall(template, tag, indentation, scope, filling: scope.filling)
                }
            case .parent(let tag, let indentation, let blocks):
                if let template = template(tag, "unknown-parent", scope) {
                    let filling = fill(template, tag, blocks, scope)
                    emitCall(template, tag, indentation, scope, filling: filling)
                }
            case .block(let block): emitBlock(block, scope)
            }
        }
    }

    private mutating func emitText(_ range: Range<Int>, _ startsLine: Bool, _ scope: Scope) {
        let bytes = trees[scope.source].source.bytes
        if rules == .checked {
            for i in range { place.advance(over: bytes[i]) }
        }
        if scope.prefix.isEmpty && scope.margin.isEmpty && !scope.isRunning {
            appendText(bytes[range])
            skipsPrefix = false
            return
        }
        var i = range.lowerBound
        var atStart = startsLine
        while true {
            if atStart {
                let isBlank =
                    i < range.upperBound
                    && (bytes[i] == 0x0A || bytes[i...].prefix(2).elementsEqual([0x0D, 0x0A]))
                for byte in scope.margin {
                    guard i < range.upperBound, bytes[i] == byte else { break }
                    i += 1
                }
                if !isBlank && !skipsPrefix { emitPrefix(scope) }
            }
            skipsPrefix = false
            guard i < range.upperBound else { return }
            let end = bytes[i..<range.upperBound].firstIndex(of: 0x0A).map { $0 + 1 } ?? range.upperBound
            appendText(bytes[i..<end])
            i = end
            atStart = true
            if i == range.upperBound { return }
        }
    }

    mutating func emitPrefix(_ scope: Scope) {
        if scope.isRunning { program.steps.append(.indentation) }
        appendText(scope.prefix[...])
    }

    /// Adds to the last run of text, or begins one.
    private mutating func appendText(_ bytes: ArraySlice<UInt8>) {
        program.append(bytes, barrier: barrier)
    }

    /// The next step's number, as the goal of a jump.
    mutating func here() -> Int32 {
        barrier = program.steps.count
        return Int32(barrier)
    }

    private mutating func emitValue(_ tag: Tag, isRaw: Bool, _ scope: Scope) {
        guard let (path, kind) = resolve(tag, scope) else { return }
        switch kind {
        case .text, .escaped, .choice:
            if isRaw && rules == .checked {
                report("raw-text", "'\(tag.name)' is text; write {{\(tag.name)}}", tag, scope.source)
            } else {
                checkPlace(tag, asHTML: false, hasApostrophes: kind == .escaped, scope)
            }
            program.steps.append(isRaw ? .unescaped(path) : .escaped(path))
        case .html:
            if !isRaw {
                report("escaped-html", "'\(tag.name)' is HTML; write {{{\(tag.name)}}}", tag, scope.source)
            }
            checkPlace(tag, asHTML: true, scope)
            program.steps.append(.html(path))
        case .json:
            if !isRaw || !place.isDataBlock {
                report(
                    "unsafe-place",
                    "'\(tag.name)' is JSON; write {{{\(tag.name)}}} in a script element of type \"application/ld+json\"",
                    tag,
                    scope.source)
            }
            program.steps.append(.html(path))
        case .flag, .record, .list, .itself:
            if rules == .checked {
                report(
                    "not-text",
                    "'\(tag.name)' is \(kind.noun); write a section, {{#\(tag.name)}}…{{/\(tag.name)}}", tag,
                    scope.source)
            }
        }
    }

    private mutating func checkPlace(
        _ tag: Tag, asHTML: Bool, hasApostrophes: Bool = false, _ scope: Scope
    ) {
        guard rules == .checked,
            let objection = place.objection(asHTML: asHTML, hasApostrophes: hasApostrophes)
        else { return }
        report("unsafe-place", "'\(tag.name)' \(objection)", tag, scope.source)
    }

    private mutating func emitSection(_ tag: Tag, _ body: [Node], isInverted: Bool, _ scope: Scope) {
        var inner = scope
        inner.depth += 1
        guard let (path, kind) = resolve(tag, scope) else {
            // The names inside cannot be checked without knowing what they are names of.
            if isInverted { emit(body, inner) }
            return
        }
        let step = program.steps.count
        if isInverted || kind == .flag {
            program.steps.append(.whenFalse(path, end: 0))
            emit(body, inner)
            let end = here()
            program.steps[step] = isInverted ? .whenFalse(path, end: end) : .whenTrue(path, end: end)
            return
        }
        let pushed: Schema.Kind = if case .list(let element) = kind { element } else { kind }
        let from = scope.relations[Int(path.level)]
        let goesDown = if case .list = kind { true } else { path.count > 0 }
        let relation: Relation = from != .other && goesDown ? .below : from
        // A record above one of the same schema hides all its fields, so it may as well take its place: that is
        // what keeps the shapes of recursive partials few.
        if case .record = pushed, pushed == scope.shape.last {
            inner.relations[inner.relations.count - 1] = relation
        } else {
            inner.shape.append(pushed)
            inner.relations.append(relation)
        }
        guard inner.shape.count <= Self.deepestShape else {
            report(
                "endless-recursion",
                "'\(tag.name)' is inside more than \(Self.deepestShape) sections, by templates that include each other",
                tag,
                scope.source)
            return
        }
        program.depth = max(program.depth, inner.shape.count)
        let slot = Int32(inner.shape.count - 1)
        program.steps.append(.section(path, slot: slot, end: 0))
        barrier = program.steps.count
        emit(body, inner)
        program.steps.append(.next)
        program.steps[step] = .section(path, slot: slot, end: here())
    }

    // MARK: Faults

    func hint(_ near: String?) -> String { near.map { "; did you mean '\($0)'?" } ?? "" }

    mutating func report(
        _ id: String, _ message: String, _ tag: Tag, _ source: Int, _ severity: Diagnostic.Severity = .error
    ) {
        seen.insert(
            trees[source].source.diagnostic(
                severity, id, message, at: tag.place.lowerBound, length: tag.place.count))
    }
}

extension Node {
    /// The tag that the node is or begins with.
    fileprivate var tag: Tag? {
        switch self {
        case .text: nil
        case .value(let tag, _), .section(let tag, _, _), .partial(let tag, _, _), .parent(let tag, _, _): tag
        case .block(let block): block.tag
        }
    }
}
