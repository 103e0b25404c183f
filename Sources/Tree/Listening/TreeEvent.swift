/// The change that one committed update made at a path that is listened to, in the terms of Realtime Database clients.
///
/// One update is one event, so that no listener sees half of it. How it goes over the wire is up to who sends it.
public struct TreeEvent: Sendable {
    /// The form in which a change is described.
    public enum Kind: String, Sendable {
        /// The data replaces what is at the path.
        case put
        /// The members of the data, whose keys are paths below the path, have replaced what was there.
        case patch
    }

    /// The position in the change log just after the update.
    public let token: SyncToken
    /// Whether the data replaces what is at the path, or its members replace what is below.
    public let kind: Kind
    /// The path relative to the node that is listened to, as UTF-8 text; it begins with a slash.
    public let path: [UInt8]
    /// The data as JSON text of one line, in the form that the receiver wants; `null` for what has been deleted.
    public let data: [UInt8]
    /// The instant at which the update was durable; nil where the event tells of several, or of a state that was read.
    public internal(set) var committedAt: ContinuousClock.Instant?

    /// - Parameter path: Without the slash at its beginning.
    init(_ kind: Kind, path: [UInt8] = [], data: [UInt8], token: SyncToken) {
        self.token = token
        self.kind = kind
        self.path = [UInt8(ascii: "/")] + path
        self.data = data
    }

    /// Describes a change as it is seen from the node.
    ///
    /// Where the priority is all that was written of a node, the node is described as it is.
    init(_ view: ChangeView, _ form: JSONForm = .plain) throws(TreeError) {
        if let base = view.patchedPath, let first = view.writes.first, !first.key.isEmpty, first.key != base {
            let path = try PathEncoding.text(of: base.span, below: 0)
            self.init(
                .patch, path: path, data: try JSONUpdate.members(of: view.writes, below: base, form), token: view.token)
        } else {
            let (key, rows) = view.writes.first.map { ($0.key, $0.rows) } ?? ([], RowBlock())
            let path = try PathEncoding.text(of: key.span, below: 0)
            self.init(.put, path: path, data: try rows.json(form), token: view.token)
        }
    }
}
