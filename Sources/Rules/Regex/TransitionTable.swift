/// A regular expression as a deterministic automaton, which is in one state at a time: a table with the next state for
/// each state and each class of characters.
struct TransitionTable {
    /// The largest number of states, and of steps to find them; if there are more, ``Automaton`` matches without a
    /// table.
    private static let maxStates = 128
    private static let maxWork = 50_000
    /// The number of bytes that are read for one unit of a budget.
    private static let bytesOfUnit = 8

    /// The transitions by state, then by class.
    private var transitions: [UInt8] = []
    private var matches: [Bool] = []
    private var matchesAtEnd: [Bool] = []
    /// Whether each state can no longer lead to a match.
    private var isDead: [Bool] = []

    /// Finds all states; nil if there are too many.
    init?(_ automaton: Automaton) {
        var first = StateSet(automaton)
        first.insert(automaton.entry, of: automaton, isAtStart: true)
        var numbers: [Key: Int] = [Key(first): 0]
        var sets = [first]
        var (work, next, position) = (0, StateSet(automaton), 0)
        while position < sets.count {
            let set = sets[position]
            matches.append(set.matches)
            matchesAtEnd.append(set.matchesAtEnd)
            for character in 0..<automaton.classes.count {
                next.advance(from: set, by: UInt8(truncatingIfNeeded: character), of: automaton)
                work += next.cost + set.states.count
                let key = Key(next)
                let number = numbers[key] ?? sets.count
                if number == sets.count {
                    numbers[key] = number
                    sets.append(next)
                }
                guard sets.count <= Self.maxStates, work <= Self.maxWork else { return nil }
                transitions.append(UInt8(truncatingIfNeeded: number))
            }
            position += 1
        }
        let classCount = automaton.classes.count
        isDead = matches.indices.map { state in
            let next = transitions[state * classCount..<(state + 1) * classCount]
            return !matchesAtEnd[state] && next.allSatisfy { $0 == UInt8(truncatingIfNeeded: state) }
        }
    }

    /// The identity of a state.
    private struct Key: Hashable {
        let states: [Int]
        let matches: Bool
        let matchesAtEnd: Bool

        init(_ set: StateSet) {
            states = set.states.sorted()
            (matches, matchesAtEnd) = (set.matches, set.matchesAtEnd)
        }
    }

    /// Whether a text matches; nil if the budget does not suffice.
    func matches(_ utf8: Span<UInt8>, _ automaton: Automaton, budget: inout Int) -> Bool? {
        guard utf8.count / Self.bytesOfUnit < budget else { return nil }
        var reader = ScalarReader()
        var state = 0
        while !matches[state], !isDead[state], let scalar = reader.next(in: utf8) {
            state = Int(transitions[state * automaton.classes.count + Int(automaton.classes.class(of: scalar))])
        }
        budget -= reader.offset / Self.bytesOfUnit + 1
        return matches[state] || matchesAtEnd[state] && reader.offset == utf8.count
    }
}
