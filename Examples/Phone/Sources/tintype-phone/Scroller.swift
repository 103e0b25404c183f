/// A list that is longer than the screen: its selected item stays where it is while others come and go.
struct Scroller {
    /// An item, whose rows are made only when they are shown.
    struct Item {
        var id: String
        var rows: (_ isSelected: Bool) -> [Row]
    }

    private(set) var selected: String?
    /// The index of the selected item when it was there last.
    private var index = 0
    /// The row of the screen at which the selected item begins.
    private var offset = 0
    /// Whether the first item is shown, so that new items before it are shown, too.
    private var isAtStart = true

    /// Selects another item.
    mutating func select(_ id: String) {
        (selected, offset, isAtStart) = (id, 0, true)
    }

    /// Moves the selection.
    mutating func move(by step: Int, in ids: [String]) {
        guard let index = position(in: ids) else { return }
        let new = min(max(0, index + step), ids.count - 1)
        // The row is corrected when the rows of the items are known.
        if new != index { offset = new > index ? .max : 0 }
        (selected, self.index) = (ids[new], new)
        isAtStart = new == 0
    }

    /// Returns the rows that are shown.
    mutating func rows(of items: [Item], height: Int) -> [Row] {
        guard let index = position(in: items.map(\.id)) else { return [] }
        (selected, self.index) = (items[index].id, index)
        let own = items[index].rows(true)
        var before: [Row] = []
        offset = max(0, min(isAtStart ? .max : offset, height - own.count))
        var first = index
        while first > 0, before.count < offset {
            first -= 1
            before = items[first].rows(false) + before
        }
        offset = min(offset, before.count)
        isAtStart = first == 0 && before.count == offset
        var rows = Array(before.suffix(offset)) + own
        for item in items[(index + 1)...] where rows.count < height { rows += item.rows(false) }
        return Array(rows.prefix(height))
    }

    private func position(in ids: [String]) -> Int? {
        if ids.isEmpty { return nil }
        return ids.firstIndex { $0 == selected } ?? min(index, ids.count - 1)
    }
}
