/// A regular expression as a nondeterministic automaton, which is in several states at once.
struct Automaton {
    enum State {
        /// Continues with a character of a set, by number.
        case characters(set: Int, next: Int)
        case either(Int, Int)
        case start(next: Int)
        case end(next: Int)
        case match
    }

    /// The largest number of states; matching takes as many steps for each character.
    private static let maxStates = 2000
    /// The largest number of steps to build the states.
    private static let maxWork = 20_000

    private(set) var states: [State] = [.match]
    private(set) var entry = 0
    /// Whether the whole text has to match.
    let isWhole: Bool
    /// The classes of characters that the sets distinguish.
    private(set) var classes = CharacterClasses([])
    /// The classes of each set.
    private(set) var sets: [ClassSet] = []
    private var numbers: [CharacterRanges: Int] = [:]
    private var work = 0

    init(_ tree: RegularExpressionTree, isWhole: Bool) throws(RegularExpressionError) {
        self.isWhole = isWhole
        entry = try add(tree, before: 0)
        let ranges = numbers.sorted { $0.value < $1.value }.map(\.key)
        classes = CharacterClasses(ranges)
        guard classes.count <= CharacterClasses.maxCount else { throw Self.tooLarge }
        sets = ranges.map { classes.set(of: $0) }
        numbers = [:]
    }

    private static let tooLarge = RegularExpressionError(message: "it is too large", offset: 0)

    /// Adds the states of an expression, from its last one to its first.
    ///
    /// - Parameter next: The state after the expression.
    /// - Returns: Its first state.
    private mutating func add(_ tree: RegularExpressionTree, before next: Int) throws(RegularExpressionError) -> Int {
        work += 1
        guard work <= Self.maxWork, states.count < Self.maxStates else { throw Self.tooLarge }
        switch tree {
        case .characters(let ranges): return add(.characters(set: number(of: ranges), next: next))
        case .start: return add(.start(next: next))
        case .end: return add(.end(next: next))
        case .sequence(let trees):
            var first = next
            for tree in trees.reversed() { first = try add(tree, before: first) }
            return first
        case .alternatives(let trees):
            var first: Int?
            for tree in trees.reversed() {
                let one = try add(tree, before: next)
                first = first.map { add(.either(one, $0)) } ?? one
            }
            return first ?? next
        case .repeated(let tree, let minimum, let maximum):
            var first = next
            if let maximum {
                for _ in minimum..<max(minimum, maximum) {
                    let one = try add(tree, before: first)
                    first = add(.either(one, next))
                }
            } else {
                first = add(.either(next, next))
                states[first] = .either(try add(tree, before: first), next)
            }
            for _ in 0..<minimum { first = try add(tree, before: first) }
            return first
        }
    }

    private mutating func add(_ state: State) -> Int {
        states.append(state)
        return states.count - 1
    }

    private mutating func number(of ranges: CharacterRanges) -> Int {
        if let number = numbers[ranges] { return number }
        numbers[ranges] = numbers.count
        return numbers.count - 1
    }
}

/// The states that an automaton is in between two characters.
struct StateSet {
    /// The states that continue with a character.
    private(set) var states: [Int] = []
    /// Whether the whole expression has been matched, or will have been if the text ends here.
    private(set) var matches = false
    private(set) var matchesAtEnd = false
    private var isSeen: [Bool]
    private var seen: [Int] = []
    private var pending: [Int] = []

    init(_ automaton: Automaton) { isSeen = Array(repeating: false, count: automaton.states.count) }

    mutating func removeAll() {
        for state in seen { isSeen[state] = false }
        seen.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        (matches, matchesAtEnd) = (false, false)
    }

    /// Adds a state, and all states reachable from it without a character.
    mutating func insert(_ state: Int, of automaton: Automaton, isAtStart: Bool) {
        pending.append(state)
        while let state = pending.popLast() {
            guard !isSeen[state] else { continue }
            isSeen[state] = true
            seen.append(state)
            switch automaton.states[state] {
            case .characters: states.append(state)
            case .either(let one, let other): pending += [other, one]
            case .start(let next): if isAtStart { pending.append(next) }
            case .end: matchesAtEnd = true
            case .match: if automaton.isWhole { matchesAtEnd = true } else { matches = true }
            }
        }
    }

    /// The number of states that were visited since the set was empty.
    var cost: Int { seen.count + 1 }

    /// Replaces this set with the states that follow another set and a character.
    mutating func advance(from other: StateSet, by character: UInt8, of automaton: Automaton) {
        removeAll()
        if !automaton.isWhole { insert(automaton.entry, of: automaton, isAtStart: false) }
        for state in other.states {
            guard case .characters(let set, let next) = automaton.states[state],
                automaton.sets[set].contains(character)
            else { continue }
            insert(next, of: automaton, isAtStart: false)
        }
    }
}

extension Automaton {
    /// Whether a text matches; nil if the budget does not suffice.
    func matches(_ utf8: Span<UInt8>, budget: inout Int) -> Bool? {
        var (now, next) = (StateSet(self), StateSet(self))
        now.insert(entry, of: self, isAtStart: true)
        var reader = ScalarReader()
        while !now.matches, !now.states.isEmpty || !isWhole, let scalar = reader.next(in: utf8) {
            budget -= now.cost
            guard budget > 0 else { return nil }
            next.advance(from: now, by: classes.class(of: scalar), of: self)
            swap(&now, &next)
        }
        return now.matches || now.matchesAtEnd && reader.offset == utf8.count
    }
}
