import Basics

/// What a template includes: partials and parents, and the blocks that fill them.
extension Compiler {
    mutating func template(_ tag: Tag, _ id: String, _ scope: Scope) -> Int? {
        if let index = names[tag.name] { return index }
        if rules == .checked {
            let near = suggestion(for: tag.name, among: names.keys)
            report(id, "'\(tag.name)' is not a template" + hint(near), tag, scope.source)
        }
        return nil
    }

    /// The unit for a call that adds `added` to the indentation of lines, or nil for one within a line.
    private mutating func callee(
        _ template: Int, _ tag: Tag, added: [UInt8]?, isRunning: Bool, _ scope: Scope, filling: Int
    ) -> Int {
        // Only fillings that the template can use: otherwise a partial would be compiled once per page.
        let filling = narrowed(filling, to: blocks(of: template))
        var key = Key(
            template: template, shape: scope.shape, filling: filling, place: place,
            indentation: .known(added ?? []))
        if isRunning {
            key.indentation = .running
        } else if let added, !added.isEmpty {
            // Recursion would indent by more and more; from the second turn on the renderer keeps count.
            var ancestor: Int? = current
            while let index = ancestor {
                var other = units[index].key
                if other.indentation != key.indentation {
                    other.indentation = key.indentation
                    if other == key {
                        key.indentation = .running
                        break
                    }
                }
                ancestor = units[index].creator
            }
        }
        let index = unit(key, creator: current)
        edges.append(
            Edge(
                from: current, to: index, relation: scope.relations.last ?? .other, source: scope.source,
                tag: tag))
        if units.count > Self.mostUnits, !stops {
            report(
                "too-deep", "templates include each other in more than \(Self.mostUnits) ways", tag,
                scope.source)
            stops = true
        }
        return index
    }

    mutating func emitCall(
        _ template: Int, _ tag: Tag, _ indentation: Range<Int>?, _ scope: Scope, filling: Int
    ) {
        let added = self.indentation(indentation, scope)
        let unit = callee(
            template, tag, added: added, isRunning: scope.isRunning && added != nil, scope, filling: filling)
        var indent = Program.Indent()
        if units[unit].key.indentation == .running { indent = store(added ?? [], scope) }
        program.steps.append(.call(entry: Int32(unit), indent))
        skipsPrefix = false
    }

    /// What a standalone tag adds to the indentation of the lines that it includes; nil for a tag within a line.
    func indentation(_ white: Range<Int>?, _ scope: Scope) -> [UInt8]? {
        white.map { scope.prefix + withoutMargin(trees[scope.source].source.bytes[$0], scope.margin) }
    }

    private mutating func store(_ added: [UInt8], _ scope: Scope) -> Program.Indent {
        let from = Int32(program.text.count)
        program.text.append(contentsOf: added)
        return .init(from: from, to: Int32(program.text.count), isFresh: !scope.isRunning)
    }

    /// A dynamic name: all the templates it may name are compiled, and the text picks one.
    ///
    /// Blocks inside them are not filled from outside: which there are depends on the data.
    mutating func emitChoice(_ tag: Tag, _ indentation: Range<Int>?, _ scope: Scope) {
        guard let (path, kind) = resolve(tag, scope) else { return }
        var choices: [String] = []
        switch (kind, rules) {
        case (.choice(let names), _): choices = names
        case (.text, .lenient): choices = names.keys.sorted()
        case (_, .checked):
            report(
                "not-a-choice",
                "'\(tag.name)' is \(kind.noun); a partial is chosen by a field that lists its names", tag,
                scope.source)
        default: break
        }
        // All choices share one step, so if there is indentation the renderer keeps it for all of them.
        let added = self.indentation(indentation, scope)
        let isRunning = added.map { scope.isRunning || !$0.isEmpty } ?? false
        var table: [Program.Choice] = []
        for name in choices {
            guard let template = names[name] else {
                report(
                    "unknown-partial", "'\(tag.name)' may be '\(name)', which is not a template", tag,
                    scope.source)
                continue
            }
            let unit = callee(
                template, tag, added: added, isRunning: isRunning, scope, filling: 0)
            table.append(.init(name: name, entry: Int32(unit)))
        }
        program.tables.append(table)
        let indent = isRunning ? store(added ?? [], scope) : Program.Indent()
        program.steps.append(.choose(path, table: Int32(program.tables.count - 1), indent))
        skipsPrefix = false
    }

    // MARK: Blocks

    mutating func emitBlock(_ block: Block, _ scope: Scope) {
        var inner = scope
        inner.depth += 1
        guard let override = fillings[scope.filling][block.tag.name] else {
            emit(block.body, inner)
            return
        }
        let bytes = trees[scope.source].source.bytes
        inner.prefix += withoutMargin(bytes[block.indentation], scope.margin)
        inner.margin = Array(trees[override.source].source.bytes[override.block.margin])
        inner.source = override.source
        inner.filling = override.filling
        if block.hasLines && !override.block.hasLines && !override.block.body.isEmpty { emitPrefix(inner) }
        skipsPrefix = !block.hasLines && override.block.hasLines
        emit(override.block.body, inner)
        skipsPrefix = false
    }

    /// The filling for a parent: its own blocks, below those that fill the template it stands in.
    mutating func fill(_ template: Int, _ tag: Tag, _ blocks: [Block], _ scope: Scope) -> Int {
        var filling: [String: Override] = [:]
        let known = self.blocks(of: template)
        for block in blocks {
            let name = block.tag.name
            if !known.contains(name), rules == .checked {
                let near = suggestion(for: name, among: known)
                report(
                    "unknown-block", "'\(name)' is not a block of '\(tag.name)' and is left out" + hint(near),
                    block.tag, scope.source, .warning)
            }
            filling[name] = Override(block: block, source: scope.source, filling: scope.filling)
        }
        filling.merge(fillings[scope.filling]) { _, outer in outer }
        return intern(filling)
    }

    private mutating func narrowed(_ filling: Int, to names: Set<String>) -> Int {
        intern(fillings[filling].filter { names.contains($0.key) })
    }

    private mutating func intern(_ filling: [String: Override]) -> Int {
        let parts = filling.keys.sorted().compactMap { name in
            filling[name].map {
                FillingPart(name: name, block: ObjectIdentifier($0.block), filling: $0.filling)
            }
        }
        if let index = fillingIndices[parts] { return index }
        fillings.append(filling)
        fillingIndices[parts] = fillings.count - 1
        return fillings.count - 1
    }

    /// The names of all blocks in a template and in what it includes.
    mutating func blocks(of template: Int) -> Set<String> {
        if let names = blockNames[template] { return names }
        var found: Set<String> = []
        var visited: Set<Int> = [template]
        var waiting = [template]
        while let index = waiting.popLast() {
            var bodies = [trees[index].nodes]
            while let body = bodies.popLast() {
                for node in body {
                    var next: String?
                    switch node {
                    case .block(let block):
                        found.insert(block.tag.name)
                        bodies.append(block.body)
                    case .section(_, let body, _): bodies.append(body)
                    case .partial(let tag, _, let isDynamic): if !isDynamic { next = tag.name }
                    case .parent(let tag, _, let blocks):
                        next = tag.name
                        bodies.append(contentsOf: blocks.map(\.body))
                    case .text, .value: break
                    }
                    if let next, let other = names[next], visited.insert(other).inserted {
                        waiting.append(other)
                    }
                }
            }
        }
        blockNames[template] = found
        return found
    }

    private func withoutMargin(_ white: ArraySlice<UInt8>, _ margin: [UInt8]) -> [UInt8] {
        var rest = white
        for byte in margin {
            guard rest.first == byte else { break }
            rest.removeFirst()
        }
        return Array(rest)
    }
}
