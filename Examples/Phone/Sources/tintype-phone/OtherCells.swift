import TintypeModel
import TintypeStore

extension LocalComment {
    /// The comment as rows of the screen.
    func rows(parked: [ParkedWrite], isSelected: Bool, width: Int) -> [Row] {
        let inner = max(10, width - 2)
        let state: Span =
            if !parkedWrites.isEmpty { Span("needs you: r", .red) } else {
                switch self.state {
                case .upToDate: Span("")
                case .toBeAdded: Span("waiting to be sent", .yellow)
                case .toBeUpdated: Span("change waiting", .yellow)
                case .toBeDeleted: Span("being deleted", .yellow)
                }
            }
        let name = Span(comment.author.displayName.shortened(to: inner / 2), .bold)
        let edited = comment.editedAt == nil ? "" : ", edited"
        let header = [name, Span("  " + comment.timestamp.age + edited, .faint)].with(trailing: [state], width: inner)
        let text: [Row] = comment.text.wrapped(to: inner).map { [Span($0)] }
        let mark = isSelected ? Span("▌ ", .green) : Span("  ")
        let reasons = parked.flatMap { PostCell.rows(of: $0, width: inner) }
        return ([header] + text + reasons).map { [mark] + $0 } + [[]]
    }
}

extension SocialNotification {
    /// The notification as rows of the screen.
    func rows(isSelected: Bool, width: Int) -> [Row] {
        let name = actor?.displayName ?? "The service"
        let others = (count ?? 1) > 1 ? " and \((count ?? 1) - 1) more" : ""
        let event =
            switch kind {
            case .like: "\(others.isEmpty ? "likes" : others + " like") your post"
            case .comment: "commented"
            case .mention: "mentioned you"
            case .follow: "follows you"
            case .announcement: "announces \(title ?? "something")"
            case .other(let kind): kind
            }
        let quote = text.map { ": " + $0 } ?? ""
        let mark = isSelected ? Span("▌ ", .green) : Span("  ")
        let dot = isUnread ? Span("● ", .green) : Span("  ")
        let lines = "\(name) \(event)\(quote)".wrapped(to: max(10, width - 4))
        let rows: [Row] = lines.enumerated().map { [mark, $0 == 0 ? dot : Span("  "), Span($1)] }
        return rows + [[mark, Span("  " + timestamp.age, .faint)], []]
    }
}
