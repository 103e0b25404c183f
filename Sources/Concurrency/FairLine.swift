public import DequeModule

/// A line in which owners take turns, an element each: one who brings ten thousand makes nobody wait for more than those
/// before. Each owner's elements come in their order.
///
/// Inlinable, since each commit passes one: a caller in another module has a version for its own types.
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

    /// Takes an element out of the line; nil when none of the owner's is meant.
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
