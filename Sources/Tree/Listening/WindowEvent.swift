extension TreeEvent {
    /// Creates the event for the difference between two windows.
    ///
    /// A change of one child is a put, of several a patch. If the old or the new window is empty, the event is a put of
    /// the whole new one.
    ///
    /// - Parameter whole: Returns the whole current result of the query.
    init(
        from old: QueryWindow, to new: QueryWindow, _ form: JSONForm, token: SyncToken,
        whole: () throws(TreeError) -> [UInt8]
    ) throws(TreeError) {
        let before = Dictionary(uniqueKeysWithValues: old.children.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.children.map { ($0.key, $0) })
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        guard !before.isEmpty, !after.isEmpty, let first = keys.first else {
            self.init(.put, data: try whole(), token: token)
            return
        }
        func value(_ key: TreeKey) throws(TreeError) -> [UInt8] { try after[key]?.json(form) ?? Array("null".utf8) }
        guard keys.count > 1 else {
            self.init(.put, path: Array(first.string.utf8), data: try value(first), token: token)
            return
        }
        var members: [UInt8] = []
        for key in keys { members.append(member: key, try value(key)) }
        members.append(UInt8(ascii: "}"))
        self.init(.patch, data: members, token: token)
    }
}

extension QueryWindow {
    /// Returns the value of the window: an object of the children in their order, or a leaf; `null` if it is empty.
    func json(_ form: JSONForm) throws(TreeError) -> [UInt8] {
        if let leaf = try leafJSON(form) { return leaf }
        guard !children.isEmpty else { return Array("null".utf8) }
        var members: [UInt8] = []
        for child in children { members.append(member: child.key, try child.json(form)) }
        members.append(UInt8(ascii: "}"))
        return members
    }
}

extension [UInt8] {
    /// Appends a member of an object, preceded by an opening brace if it is the first one.
    fileprivate mutating func append(member key: TreeKey, _ json: [UInt8]) {
        append(UInt8(ascii: isEmpty ? "{" : ","))
        JSONText.append(key.string.utf8.span, to: &self)
        append(UInt8(ascii: ":"))
        append(contentsOf: json)
    }
}
