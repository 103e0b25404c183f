import TintypeClient
import TintypeModel
import TintypeStore

/// Something that happens while the program runs.
enum Event: Sendable {
    case input([UInt8])
    case resized
    case quit
    case feed(PostFeed.Snapshot)
    case comments([LocalComment])
    case notifications(NotificationList)
    case parked([ParkedWrite])
    case unsentCount(Int)
    case sending(Post.ID, WriteState)
    case connection(LocalStore.Connection)
    case session(Session.State)
    case signInFailure(String)
    /// Something could not be read from the service.
    case readFailure(any Error)
    case failure(any Error)
}

/// All that the screen shows. The store keeps the data; this is a copy of the part that is looked at.
struct Phone {
    enum Screen: Equatable {
        case feed
        case comments(Post.ID)
        case notifications
        /// A write that waits for the person: it is sent again, or given up.
        case decision(WriteID)
    }

    var screen = Screen.feed
    var feed = PostFeed.Snapshot()
    var comments: [LocalComment] = []
    var notifications = NotificationList()
    var parked: [ParkedWrite] = []
    var unsentCount = 0
    var progress: (post: Post.ID, percent: Int)?
    var connection = LocalStore.Connection.connecting
    var session = Session.State.signedOut
    var prompt: Prompt?
    /// A message, until the next key.
    var message = ""
    var posts = Scroller()
    var others = Scroller()

    /// The account whose data are shown.
    var account: Account? {
        switch session {
        case .signedIn(let account), .expired(let account): account
        case .signedOut: nil
        }
    }

    /// Takes what the store reports.
    mutating func take(_ event: Event) {
        switch event {
        case .feed(let snapshot): feed = snapshot
        case .comments(let list): comments = list
        case .notifications(let list): notifications = list
        case .parked(let writes): parked = writes
        case .unsentCount(let count): unsentCount = count
        case .connection(let connection): self.connection = connection
        case .session(let state): take(state)
        case .readFailure(let error as Problem): message = error.message
        case .signInFailure(let reason): prompt = Prompt(.address, reason + " E-mail address")
        case .sending(let post, .sending(let sentCount, let count)) where count > 0:
            progress = (post, Int(100 * sentCount / count))
        case .sending: progress = nil
        // That there is no network, the status line says.
        case .input, .resized, .quit, .failure, .readFailure: break
        }
    }

    private mutating func take(_ state: Session.State) {
        session = state
        switch state {
        case .signedIn: message = ""
        case .signedOut: prompt = Prompt(.address, "E-mail address")
        case .expired(let account):
            guard let email = account.email else { return }
            prompt = Prompt(.password(address: email), "The session is over. Password of \(email)")
        }
    }

    var selectedPost: LocalPost? { feed.posts.first { $0.id.rawValue == posts.selected } ?? feed.posts.first }

    var selectedComment: LocalComment? { comments.first { $0.id.rawValue == others.selected } ?? comments.first }

    func parked(_ ids: [WriteID]) -> [ParkedWrite] { parked.filter { ids.contains($0.id) } }

    // MARK: Drawing

    /// The rows of the whole screen.
    mutating func rows(in size: Terminal.Size) -> [Row] {
        let height = max(1, size.rows - 3)
        var body = rows(width: size.columns, height: height)
        body += [Row](repeating: [], count: max(0, height - body.count))
        return [title(width: size.columns)] + body + [bottom(width: size.columns), status(width: size.columns)]
    }

    private mutating func rows(width: Int, height: Int) -> [Row] {
        switch screen {
        case .feed:
            if feed.posts.isEmpty { return [[], [Span("  No posts yet. Press p to write one.", .faint)]] }
            return posts.rows(of: feedItems(width: width), height: height)
        case .comments(let id):
            let post = feed.posts.first { $0.id == id }
            let top = post.map { cell($0).rows(isSelected: false, width: width) } ?? []
            let shown = Array(top.prefix(height / 2))
            if comments.isEmpty { return shown + [[Span("  No comments yet. Press c to write one.", .faint)]] }
            let items = comments.map { comment in
                let parked = parked(comment.parkedWrites)
                return Scroller.Item(id: comment.id.rawValue) {
                    comment.rows(parked: parked, isSelected: $0, width: width)
                }
            }
            return shown + others.rows(of: items, height: height - shown.count)
        case .notifications:
            if notifications.notifications.isEmpty { return [[], [Span("  No notifications yet.", .faint)]] }
            let items = notifications.notifications.map { note in
                Scroller.Item(id: note.id.rawValue) { note.rows(isSelected: $0, width: width) }
            }
            return others.rows(of: items, height: height)
        case .decision(let id):
            guard let write = parked.first(where: { $0.id == id }) else { return [[], [Span("  It is settled.")]] }
            return [[]] + PostCell.rows(of: write, width: width - 2).map { [Span("  ")] + $0 }
        }
    }

    private func feedItems(width: Int) -> [Scroller.Item] {
        feed.posts.map { post in
            let cell = cell(post)
            return Scroller.Item(id: post.id.rawValue) { cell.rows(isSelected: $0, width: width) }
        }
    }

    func cell(_ post: LocalPost) -> PostCell {
        let percent = progress.flatMap { $0.post == post.id ? $0.percent : nil }
        return PostCell(post: post, parked: parked(post.parkedWrites), progress: percent)
    }

    private func title(width: Int) -> Row {
        let name =
            switch screen {
            case .feed: feed.hasNewer ? "Feed (newer posts above)" : "Feed"
            case .comments: "Comments"
            case .notifications: "Notifications"
            case .decision: "This write was not accepted"
            }
        let unread = notifications.unreadCount > 0 ? "● \(notifications.unreadCount) new  " : ""
        return [Span(name, .bold)].with(
            trailing: [Span(unread, .green), Span(account?.email ?? account?.id.rawValue ?? "")], width: width)
    }

    private func bottom(width: Int) -> Row {
        if let prompt { return prompt.row(width: width) }
        if !message.isEmpty { return [Span(message, .yellow)] }
        let keys =
            switch screen {
            case .feed: "j/k move  l like  c comment  o open  p post  e edit  d delete  n news  q quit"
            case .comments: "j/k move  c comment  e edit  d delete  m more  r resolve  q back"
            case .notifications: "j/k move  m more  q back"
            case .decision: "r send it as it is  d discard it  q later"
            }
        return [Span(keys, .faint)]
    }

    /// The connection to the service, and the number of writes that wait for it.
    private func status(width: Int) -> Row {
        var row: Row = [connectionText]
        row.append(Span(unsentCount == 0 ? "  all sent" : "  \(unsentCount) to be sent"))
        if !parked.isEmpty { row.append(Span("  \(parked.count) not accepted: r", .red)) }
        return row.shortened(to: width)
    }

    private var connectionText: Span {
        if case .expired = session { return Span("● the session is over: start again to sign in", .red) }
        switch connection {
        case .connected: return Span("● connected", .green)
        case .connecting: return Span("○ connecting", .yellow)
        case .disconnected(let error): return Span("○ offline (\(error.cause.rawValue))", .yellow)
        case .refused(let problem): return Span("○ \(problem.message)", .red)
        }
    }
}
