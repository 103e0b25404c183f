/// The members of snapshots, strings, queries, and of values of unknown type.
extension Compiler {
    mutating func compile(
        member name: String, at offset: Int, of base: Syntax, for syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let part = try compile(base)
        if part.type == .any, name != Member.length.rawValue {
            let constant = program.append(.string(name))
            return emit(.member(part.position, constant), .any, for: syntax)
        }
        let member = try member(name, of: part.type, at: offset)
        guard member.isProperty else {
            throw ExpressionError("The method '\(name)' has to be called.", at: offset)
        }
        // A member of an object has any type.
        let type = part.type == .any ? .any : member.type
        return emit(.property(member, part.position), type, for: syntax)
    }

    /// Returns the member of a type with a name; values of unknown type may be strings.
    private func member(_ name: String, of type: StaticType, at offset: Int) throws(ExpressionError) -> Member {
        guard let member = Member(rawValue: name), member.owner == (type.isUntyped ? .string : type) else {
            throw ExpressionError("No such method/property '\(name)'.", at: offset)
        }
        return member
    }

    /// Compiles `base[index]`: for a base with a type, the index is a constant string that names a member; otherwise it
    /// is any value.
    mutating func compile(
        index: Syntax, of base: Syntax, for syntax: Syntax
    ) throws(ExpressionError) -> Part {
        if case .string(let name) = index.kind {
            return try compile(member: name, at: index.range.lowerBound, of: base, for: syntax)
        }
        let part = try compile(base)
        let offset = index.range.lowerBound
        guard part.type.isUntyped else { throw ExpressionError("Invalid property access.", at: offset) }
        let key = try compile(index)
        guard key.type == .string || key.type == .number || key.type.isUntyped else {
            throw ExpressionError("Invalid property access.", at: offset)
        }
        return emit(.index(part.position, key.position), .any, for: syntax)
    }

    // MARK: Calls

    mutating func compile(
        call callee: Syntax, _ arguments: [Syntax], for syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let (base, name, offset) = try method(callee)
        let part = try compile(base)
        let member = try member(name, of: part.type, at: offset)
        guard !member.isProperty else { throw ExpressionError("'\(name)' is not a method.", at: offset) }
        if member == .hasChildren, !arguments.isEmpty {
            let list = try compile(keys: arguments, at: offset)
            return emit(.hasChildren(part.position, list: list), .boolean, for: syntax)
        }
        guard arguments.count == member.argumentCount else {
            let wanted = member.argumentCount == 1 ? "1 argument" : "\(member.argumentCount) arguments"
            throw ExpressionError("\(name)() takes \(wanted), not \(arguments.count).", at: offset)
        }
        if member == .matches {
            let expression = program.append(try regularExpression(arguments[0]))
            return emit(.matches(part.position, expression), .boolean, for: syntax)
        }
        var positions: [Int] = []
        for argument in arguments {
            let part = try compile(argument)
            guard part.type == .string || part.type.isUntyped else {
                throw ExpressionError(
                    "Argument \(positions.count + 1) of \(name)() must be a string.", at: argument.range.lowerBound)
            }
            positions.append(part.position)
        }
        let (first, second) = (positions.first ?? 0, positions.last ?? 0)
        return emit(.call(member, part.position, first, second), member.type, for: syntax)
    }

    /// Returns the parts of the called expression: `base.name`, or `base["name"]`.
    private func method(_ callee: Syntax) throws(ExpressionError) -> (base: Syntax, name: String, offset: Int) {
        switch callee.kind {
        case .member(let base, let name, let offset): return (base, name, offset)
        case .index(let base, let index):
            guard case .string(let name) = index.kind else {
                throw ExpressionError("Invalid property access.", at: index.range.lowerBound)
            }
            return (base, name, index.range.lowerBound)
        default: throw ExpressionError("Only methods can be called.", at: callee.range.lowerBound)
        }
    }

    /// Compiles the list of strings that is the argument of `hasChildren`.
    private mutating func compile(keys arguments: [Syntax], at offset: Int) throws(ExpressionError) -> Int {
        guard arguments.count == 1, case .list(let elements) = arguments[0].kind, !elements.isEmpty else {
            throw ExpressionError("hasChildren() takes one list of one or more strings.", at: offset)
        }
        var positions: [Int] = []
        for element in elements {
            let part = try compile(element)
            guard part.type == .string || part.type.isUntyped else {
                throw ExpressionError("hasChildren() takes a list of strings.", at: element.range.lowerBound)
            }
            positions.append(part.position)
        }
        return program.append(positions)
    }

    func regularExpression(_ syntax: Syntax) throws(ExpressionError) -> RegularExpression {
        guard case .regularExpression(let pattern, let flags) = syntax.kind else {
            throw ExpressionError(
                "Argument 1 of matches() must be a regular expression literal.", at: syntax.range.lowerBound)
        }
        let start = syntax.range.lowerBound + 1
        guard flags.isEmpty || flags == "i" else {
            throw ExpressionError(
                "Invalid flags '\(flags)' of a regular expression.", at: start + pattern.utf8.count + 1)
        }
        do {
            return try RegularExpression(pattern, isCaseInsensitive: flags == "i", dialect: .database)
        } catch {
            throw ExpressionError("Invalid regular expression: \(error.message).", at: start + error.offset)
        }
    }
}
