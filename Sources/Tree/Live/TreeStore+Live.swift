/// What there is at a place when a listener begins, and the listener's name.
public struct LiveStart: Sendable {
    /// The listener, for ``TreeStore/stopListening(_:at:)``.
    public let listener: UInt64
    /// What is at the place, told as a put; events with a token that is not greater are part of it.
    public let event: LiveEvent
}

extension TreeStore {
    /// Begins to tell an outlet of every change at a path, in the words of Realtime Database clients.
    ///
    /// Events may come to the outlet before this returns. To lose and double none, hold back those whose token is greater
    /// than that of the start, and drop the others.
    ///
    /// - Parameters:
    ///   - maxBytes: The largest value that is read as a start.
    ///   - began: Told the listener's name before the first event can come to it.
    /// - Throws: ``TreeError`` with code `too_large`, or the engine's failure; nothing is told then.
    public func listen(
        at path: TreePath, on outlet: any LiveOutlet, maxBytes: Int = 64 << 20,
        began: (UInt64) -> Void = { _ in }
    ) async throws(TreeError) -> LiveStart {
        try path.checkDepth()
        let place = StorageFormat.dataKey(path)
        let listener = live.add(outlet, at: place)
        began(listener)
        do {
            return LiveStart(listener: listener, event: try await start(at: path, maxBytes: maxBytes))
        } catch {
            live.remove(listener, at: place)
            throw error
        }
    }

    /// Ends a listener; events that are underway may still come.
    public func stopListening(_ listener: UInt64, at path: TreePath) {
        live.remove(listener, at: StorageFormat.dataKey(path))
    }

    private func start(at path: TreePath, maxBytes: Int) async throws(TreeError) -> LiveEvent {
        try await read { snapshot throws(TreeError) in
            var json: [UInt8] = []
            let check = { (piece: [UInt8]) throws(TreeError) in
                json += piece
                guard json.count <= maxBytes else {
                    throw TreeError(
                        .tooLarge, "what is there has more than \(maxBytes) bytes", path: path,
                        hint: "listen further down in the tree")
                }
            }
            let rest = try snapshot.json(of: path, drain: check)
            try check(rest)
            return LiveEvent(initial: json, token: try snapshot.token)
        }
    }
}
