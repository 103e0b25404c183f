/// A list that is longer than the screen: its selected item stays where it is while others come and go.
struct Scroller {
    /// An item, whose rows are made only when they are shown.
    struct Item {
        var id: String
        var rows: (_ isSelected: Bool) -> [Row]
    }

    private(set) var selected: String?
    /// An item that is selected as soon as it is in the list.
    private var expected: String?
    /// The index of the selected item when it was there last.
    private var index = 0
    /// The row of the screen at which the selected item begins; negative if it is longer and its beginning is not shown.
    private var offset = 0
    /// The number of its rows below the screen, and that of all rows of the screen.
    private var (hiddenCount, height) = (0, 1)
    /// Whether the first item is shown, so that new items before it are shown, too.
    private var isAtStart = true

    /// Selects another item, which may not be in the list yet.
    mutating func select(_ id: String) { expected = id }

    /// Moves the selection, or within an item that is longer than the screen.
    mutating func move(by step: Int, in ids: [String]) {
        if step > 0, hiddenCount > 0 { return offset -= min(hiddenCount, height / 2) }
        if step < 0, offset < 0 { return offset = min(0, offset + height / 2) }
        guard let index = position(in: ids) else { return }
        let new = min(max(0, index + step), ids.count - 1)
        // The row is corrected when the rows of the items are known.
        if new != index { offset = new > index ? .max : 0 }
        (selected, self.index, expected) = (ids[new], new, nil)
        isAtStart = new == 0
    }

    /// Returns the rows that are shown.
    mutating func rows(of items: [Item], height: Int) -> [Row] {
        if let id = expected, items.contains(where: { $0.id == id }) {
            (selected, expected, isAtStart) = (id, nil, true)
        }
        guard let index = position(in: items.map(\.id)) else { return [] }
        (selected, self.index) = (items[index].id, index)
        let own = items[index].rows(true)
        let room = height - own.count
        var after: [Row] = []
        for item in items[(index + 1)...] where after.count < room { after += item.rows(false) }
        if room < 0 {
            offset = max(room, min(0, offset))
        } else {
            // The screen has no empty rows while there are items before the first shown one.
            offset = max(0, room - after.count, min(isAtStart ? .max : offset, room))
        }
        (hiddenCount, self.height) = (max(0, offset - room), height)
        var (before, first) = ([Row](), index)
        while first > 0, before.count < offset {
            first -= 1
            before = items[first].rows(false) + before
        }
        if offset > before.count { offset = before.count }
        isAtStart = first == 0 && before.count == offset
        return Array((before.suffix(max(0, offset)) + own.dropFirst(max(0, -offset)) + after).prefix(height))
    }

    private func position(in ids: [String]) -> Int? {
        if ids.isEmpty { return nil }
        return ids.firstIndex { $0 == selected } ?? min(index, ids.count - 1)
    }
}
