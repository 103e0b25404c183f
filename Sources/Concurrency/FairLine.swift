public import DequeModule

/// A line in which owners take turns, one element each: an owner with ten thousand elements delays no other owner by
/// more than one element a turn. The elements of one owner stay in their order.
///
/// Inlinable, since each commit passes through one: a caller in another module gets a specialized version for its own
/// types.
@usableFromInline package struct FairLine<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    @usableFromInline var waiting: [Owner: Deque<Element>] = [:]
    /// The owners who have elements in the line, the next one first.
    @usableFromInline var turns: Deque<Owner> = []

    /// The number of elements in the line.
    @usableFromInline package internal(set) var count = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { count == 0 }

    /// The first element of each owner.
    @inlinable package var firsts: some Sequence<Element> { waiting.values.lazy.compactMap(\.first) }

    /// The number of elements that an owner has in the line.
    @inlinable package func count(of owner: Owner) -> Int { waiting[owner]?.count ?? 0 }

    @inlinable package mutating func append(_ element: Element, of owner: Owner) {
        if waiting[owner] == nil { turns.append(owner) }
        waiting[owner, default: []].append(element)
        count += 1
    }

    @inlinable package mutating func popFirst() -> Element? {
        guard let owner = turns.popFirst(), let element = waiting[owner]?.popFirst() else { return nil }
        count -= 1
        if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { turns.append(owner) }
        return element
    }

    /// Removes the owner's first element that satisfies a predicate; returns nil if no element does.
    @inlinable package mutating func remove(of owner: Owner, where isMeant: (Element) -> Bool) -> Element? {
        guard let index = waiting[owner]?.firstIndex(where: isMeant) else { return nil }
        count -= 1
        let element = waiting[owner]?.remove(at: index)
        if waiting[owner]?.isEmpty == true {
            waiting[owner] = nil
            turns.removeAll { $0 == owner }
        }
        return element
    }
}
