import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

/// Keys, and what they do. Each write returns as soon as it is safe on the device, with or without a network.
extension Phone {
    enum Outcome { case stay, quit }

    /// Takes a key.
    mutating func press(_ key: Key, _ device: Device) async throws -> Outcome {
        if key == .interrupt { return .quit }
        message = ""
        if var typed = prompt {
            let isComplete = typed.type(key)
            prompt = key == .escape || isComplete ? nil : typed
            if isComplete { try await finish(typed, device) }
            if account == nil, key == .escape { return .quit }
            return .stay
        }
        guard account != nil else { return key == .character("q") ? .quit : .stay }
        switch key {
        case .down, .character("j"): move(by: 1, device)
        case .up, .character("k"): move(by: -1, device)
        case .pageDown, .character(" "): move(by: 5, device)
        case .pageUp: move(by: -5, device)
        case .character("R"): device.store.refresh()
        case .escape, .character("q"):
            if screen == .feed { return key == .escape ? .stay : .quit }
            if screen == .notifications, let newest = notifications.notifications.first {
                try await device.store.markAsRead(upTo: newest.id)
            }
            show(.feed, device)
        case .character("r"): try await resolve(device)
        case .character(let letter):
            switch screen {
            case .feed: try await pressInFeed(letter, device)
            case .comments(let post): pressInComments(letter, on: post, device)
            case .notifications where letter == "m": device.loadOlderNotifications()
            case .decision(let id) where letter == "d":
                try await device.store.discard(id)
                show(.feed, device)
            default: break
            }
        case .enter: if screen == .feed { try await pressInFeed("o", device) }
        default: break
        }
        return .stay
    }

    private mutating func pressInFeed(_ letter: Character, _ device: Device) async throws {
        if letter == "p" { prompt = Prompt(.post, "Text of the post") }
        if letter == "g" {
            device.feed.showNewest()
            posts = Scroller()
        }
        if letter == "n" { show(.notifications, device) }
        guard let selected = selectedPost else { return }
        let id = selected.id
        switch letter {
        case "l": try await device.store.setLike(selected.post.isLiked != true, of: id)
        case "o": show(.comments(id), device)
        case "c": prompt = Prompt(.comment(id), "Comment")
        case "e" where isMine(selected.post.author):
            prompt = Prompt(.editPost(id), "Text of the post", text: selected.post.text ?? "")
        case "d" where isMine(selected.post.author): prompt = Prompt(.deletePost(id), "Delete this post? y/n")
        case "e", "d": message = "This is \(selected.post.author.displayName)'s post."
        default: break
        }
    }

    private mutating func pressInComments(_ letter: Character, on post: Post.ID, _ device: Device) {
        if letter == "c" { prompt = Prompt(.comment(post), "Comment") }
        if letter == "m" { device.loadOlderComments(post) }
        guard let selected = selectedComment, isMine(selected.comment.author) else { return }
        if letter == "e" {
            prompt = Prompt(.editComment(selected, post), "Text of the comment", text: selected.comment.text)
        }
        if letter == "d" { prompt = Prompt(.deleteComment(selected.id, post), "Delete this comment? y/n") }
    }

    private func isMine(_ author: Author) -> Bool { author.id == account?.id }

    private mutating func show(_ screen: Screen, _ device: Device) {
        (self.screen, others, comments) = (screen, Scroller(), [])
        if case .comments(let post) = screen { device.watchComments(post) } else { device.watchComments(nil) }
    }

    private mutating func move(by step: Int, _ device: Device) {
        switch screen {
        case .feed:
            posts.move(by: step, in: feed.posts.map(\.id.rawValue))
            // Loads what is within two screens of this post.
            if let id = selectedPost?.id { device.show(id) }
        case .comments: others.move(by: step, in: comments.map(\.id.rawValue))
        case .notifications: others.move(by: step, in: notifications.notifications.map(\.id.rawValue))
        case .decision: break
        }
    }

    /// Shows a write that was not accepted, or sends the shown one again.
    private mutating func resolve(_ device: Device) async throws {
        if case .decision(let id) = screen {
            try await device.store.retry(id)
            return show(.feed, device)
        }
        var ids = selectedPost?.parkedWrites ?? []
        if case .comments = screen { ids = selectedComment?.parkedWrites ?? [] }
        guard let write = parked(ids).first ?? parked.first else { return message = "Everything was accepted." }
        show(.decision(write.id), device)
    }

    // MARK: Lines

    private mutating func finish(_ line: Prompt, _ device: Device) async throws {
        let text = line.text.trimmingCharacters(in: .whitespaces)
        let store = device.store
        switch line.purpose {
        case .address: prompt = Prompt(.password(address: text), "Password")
        case .password(let address):
            message = "Signing in …"
            device.signIn(address, line.text)
        case .post: prompt = Prompt(.photos(PostDraft(text: text.isEmpty ? nil : text)), Self.photoLabel)
        case .photos(let draft): try await addPhoto(text, to: draft, device)
        case .comment(let post): if !text.isEmpty { try await store.comment(text, on: post) }
        case .editPost(let post): try await store.edit(post, text: text.isEmpty ? nil : text)
        case .editComment(let comment, let post):
            if !text.isEmpty { try await store.edit(comment.id, on: post, text: text) }
        case .deletePost(let post): if text == "y" { try await store.delete(post) }
        case .deleteComment(let comment, let post): if text == "y" { try await store.delete(comment, on: post) }
        }
    }

    private static let photoLabel = "A photo's file (empty: no more)"

    private mutating func addPhoto(_ path: String, to draft: PostDraft, _ device: Device) async throws {
        if path.isEmpty {
            if draft.text == nil, draft.photos.isEmpty { return message = "A post has a text or a photo." }
            let post = try await device.store.publish(draft)
            device.feed.showNewest()
            posts.select(post.subject.rawValue)
            return
        }
        let file = URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            prompt = Prompt(.photos(draft), "\(path) cannot be read. " + Self.photoLabel)
            return
        }
        var draft = draft
        draft.photos.append(PhotoDraft(file: file))
        prompt = Prompt(.photos(draft), "\(draft.photos.count) chosen. " + Self.photoLabel)
    }
}
