/// The change that one committed update made at a listened path, in the terms of Realtime Database clients.
///
/// One update is one event, so that no listener sees a part of it. The sender decides on the encoding of the event.
public struct TreeEvent: Sendable {
    /// The form in which a change is described.
    public enum Kind: String, Sendable {
        /// The data replaces the value at the path.
        case put
        /// The members of the data, whose keys are paths below the path, replace the values there.
        case patch
    }

    /// The position in the change log just after the update.
    public let token: SyncToken
    /// The form of the change: the data replaces the value at the path, or its members replace values below it.
    public let kind: Kind
    /// The path relative to the listened node, as UTF-8 text; it begins with a slash.
    public let path: [UInt8]
    /// The data as single-line JSON text, in the receiver's form; `null` for a deletion.
    public let data: [UInt8]
    /// The instant at which the update was durable; nil if the event covers several updates, or a state that was read.
    public internal(set) var committedAt: ContinuousClock.Instant?

    /// - Parameter path: The path without its leading slash.
    init(_ kind: Kind, path: [UInt8] = [], data: [UInt8], token: SyncToken) {
        self.token = token
        self.kind = kind
        self.path = [UInt8(ascii: "/")] + path
        self.data = data
    }

    /// Creates the event for a change as seen from a node.
    ///
    /// A node of which only the priority was written is described with its whole value.
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
