extension Program {
    /// Whether the expression may be true for an unauthenticated client, for any data.
    var mayHoldForNobody: Bool { truth(of: entry) != false }

    /// Whether a part is true if `auth` is null; nil if it depends on the data.
    private func truth(of position: Int) -> Bool? {
        switch operations[position] {
        case .all: all(from: position)
        case .any: any(from: position)
        case .not(let operand): truth(of: operand).map { !$0 }
        case .conditional(let condition, let first, let second):
            switch truth(of: condition) {
            case true?: truth(of: first)
            case false?: truth(of: second)
            case nil: truth(of: first) == truth(of: second) ? truth(of: first) : nil
            }
        case .equal(let left, let right, let isNegated): equality(of: left, right).map { $0 != isNegated }
        case .constant(let number): if case .bool(let bool) = constants[number] { bool } else { false }
        default: isNull(position) == true ? false : nil
        }
    }

    /// Evaluates a chain in a loop, because chains are nested on the right and may be long.
    private func all(from position: Int) -> Bool? {
        var (next, result) = (position, Bool?.some(true))
        while case .all(let left, let right) = operations[next] {
            switch truth(of: left) {
            case false?: return false
            case nil: result = nil
            case true?: break
            }
            next = right
        }
        let last = truth(of: next)
        return last == true ? result : last
    }

    private func any(from position: Int) -> Bool? {
        var (next, result) = (position, Bool?.some(false))
        while case .any(let left, let right) = operations[next] {
            switch truth(of: left) {
            case true?: return true
            case nil: result = nil
            case false?: break
            }
            next = right
        }
        let last = truth(of: next)
        return last == false ? result : last
    }

    private func equality(of left: Int, _ right: Int) -> Bool? {
        guard let one = isNull(left), let other = isNull(right) else { return nil }
        if one, other { return true }
        return one || other ? false : nil
    }

    /// Whether a part is null if `auth` is; nil if it depends on the data.
    private func isNull(_ position: Int) -> Bool? {
        switch operations[position] {
        case .auth: true
        case .member(let base, _), .index(let base, _): isNull(base) == true ? true : nil
        case .constant(let number): if case .null = constants[number] { true } else { false }
        case .key, .now: false
        default: nil
        }
    }
}
