import API
import Access

@testable import Model
@testable import Social
@testable import Tree

/// Operations of the routes, and their expected permissions in the model.
extension SocialWorld {
    func ask(_ operation: SocialOperation) async throws {
        switch operation {
        case .profile(let uid, let name, let picture): try await change(uid, name, picture)
        case .follow, .unfollow, .block, .unblock: try await link(operation)
        case .like, .unlike: try await like(operation)
        case .comment, .edit, .removeComment: try await comment(operation)
        case .deletePerson(let uid): try await deletePerson(uid)
        case .audience(let operation): try await ask(operation)
        case .flags(let operation): try await ask(operation)
        case .privacy(let uid, let name, let isOn): try await agree(uid, name, isOn)
        case .announce(let author, let people): try await announce(author, people)
        case .retract(let number): try await retract(number)
        default: try await read(operation)
        }
    }

    /// Performs an operation that must fail with the code, or succeed without one.
    func attempt(_ what: String, _ code: ErrorCode?, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
        } catch let failure as Failure {
            if failure.code != code { complain("\(what) was refused: \(failure.code), expected \(show(code))") }
            return false
        }
        if let code { complain("\(what) was done, expected \(code)") }
        return code == nil
    }

    private func show(_ code: ErrorCode?) -> String { code.map { "\($0)" } ?? "success" }

    func user(_ uid: String) throws -> UserID {
        guard let user = UserID(uid) else { throw TreeError.closed }
        return user
    }

    private func change(_ uid: String, _ name: String, _ picture: String?) async throws {
        let change = try ProfileChange(
            ["full_name": .string(name), "profile_picture": picture.map { .string($0) } ?? .null], isWhole: false)
        let user = try user(uid)
        let code: ErrorCode? = model.jobs.deletedPeople.contains(uid) ? .wrongState : nil
        let isDone = try await attempt("profile of \(uid)", code) { _ = try await People(tree).change(user, change) }
        guard isDone else { return }
        model.apply([
            NaiveWrite("people/\(uid)/full_name", .string(name)),
            NaiveWrite("people/\(uid)/profile_picture", picture.map(TreeValue.string)),
        ])
    }

    private func agree(_ uid: String, _ name: String, _ isOn: Bool) async throws {
        guard let one = Privacy.Switch(rawValue: name) else { return }
        try await Privacy(tree).change(try user(uid), [one: isOn])
        model.apply([NaiveWrite("privacy/\(uid)/\(name)", .bool(isOn))])
    }

    /// Returns the refusal of an operation without consent; nil if the person consents.
    func refusal(_ uid: String, isContent: Bool) -> ErrorCode? {
        let areOn = model.agrees(uid, to: "data_processing") && (!isContent || model.agrees(uid, to: "content"))
        return areOn ? nil : .notConsented
    }

    // MARK: Links

    private func link(_ operation: SocialOperation) async throws {
        switch operation {
        case .follow(let one, let other):
            var code = refusal(one, isContent: false)
            if model.areBlocked(one, other) { code = .blocked }
            if !model.exists("people/\(other)") { code = .notFound }
            if one == other { code = .oneself }
            let (follower, followee) = (try user(one), try user(other))
            let isDone = try await attempt("\(operation)", code) {
                _ = try await Follows(tree).follow(follower, followee)
            }
            guard isDone, !model.follows(one, other) else { return }
            model.apply([NaiveWrite("people/\(one)/following/\(other)", true)])
        case .unfollow(let one, let other):
            _ = try await Follows(tree).unfollow(try user(one), try user(other))
            model.apply([NaiveWrite("people/\(one)/following/\(other)", nil)])
        case .block(let one, let other):
            let code: ErrorCode? = one == other ? .oneself : model.exists("people/\(other)") ? nil : .notFound
            let (blocker, blocked) = (try user(one), try user(other))
            let isDone = try await attempt("\(operation)", code) { _ = try await Blocks(tree).block(blocker, blocked) }
            guard isDone else { return }
            model.apply([NaiveWrite("blocking/\(one)/\(other)", true)])
        case .unblock(let one, let other):
            _ = try await Blocks(tree).unblock(try user(one), try user(other))
            model.apply([NaiveWrite("blocking/\(one)/\(other)", nil)])
        default: return
        }
    }

    /// Returns the reason why a person may not use a post; nil if they may.
    private func refusal(_ post: String, _ uid: String) -> ErrorCode? {
        guard model.exists("posts/\(post)") else {
            return model.knows(uid, ofStoryPost: post) ? .audiencePost : .notFound
        }
        guard let author = model.author(ofPost: post) else { return nil }
        return model.areBlocked(author, uid) ? .blocked : nil
    }

    // MARK: Likes and comments

    private func like(_ operation: SocialOperation) async throws {
        switch operation {
        case .like(let post, let uid):
            guard let id = PostID(post) else { return }
            let (user, likes) = (try user(uid), Likes(tree))
            var count: Int64 = 0
            let code = refusal(post, uid) ?? refusal(uid, isContent: false)
            let isDone = try await attempt("\(operation)", code) {
                count = try await likes.add(by: user, to: id).count
            }
            guard isDone else { return }
            if !model.exists("likes/\(post)/\(uid)") {
                model.apply([NaiveWrite("likes/\(post)/\(uid)", clock.now.value)])
            }
            if count != model.main.keys("likes/\(post)").count { complain("\(operation) counted \(count)") }
        case .unlike(let post, let uid):
            guard let id = PostID(post) else { return }
            let isThere = model.exists("likes/\(post)/\(uid)") || model.exists("posts/\(post)")
            let (user, likes) = (try user(uid), Likes(tree))
            let isDone = try await attempt("\(operation)", isThere ? nil : refusal(post, uid)) {
                _ = try await likes.remove(by: user, from: id)
            }
            guard isDone else { return }
            model.apply([NaiveWrite("likes/\(post)/\(uid)", nil)])
        default: return
        }
    }

    /// Returns a text that mentions people, each in its own part.
    private func text(_ mentions: [String]) throws -> (CommentText, TreeValue, TreeValue?) {
        let text = "x" + String(repeating: "@", count: mentions.count)
        var records: [TreeKey: TreeValue] = [:]
        for (number, uid) in mentions.enumerated() {
            records[TreeKey(unchecked: "\(number)")] = [
                "uid": .string(uid), "start": .integer(Int64(number + 1)), "length": 1,
            ]
        }
        let claims = mentions.enumerated().map { MentionSpan.Claim(uid: $1, start: $0 + 1, length: 1) }
        return (try CommentText(text, mentions: claims), .string(text), records.isEmpty ? nil : .object(records))
    }

    private func comment(_ operation: SocialOperation) async throws {
        switch operation {
        case .comment(let post, let uid, let mentions): try await addComment(operation, post, uid, mentions)
        case .edit(let post, let number, let uid, let mentions):
            try await edit(operation, post, number, uid, mentions)
        case .removeComment(let post, let number, let uid):
            guard let id = PostID(post) else { return }
            let known = model.main.keys("comments/\(post)")
            let key = number < known.count ? known[number] : "c9"
            var code: ErrorCode? = .notFound
            if number < known.count {
                let author = model.main.text("comments/\(post)/\(key)/author/uid")
                code = [author, model.main.text("posts/\(post)/author/uid")].contains(uid) ? nil : .notAllowed
            }
            let identity = Identity.user(User(uid: uid, auth: [:]))
            let comments = Comments(tree, ids: nextID())
            let isDone = try await attempt("\(operation)", code) {
                _ = try await comments.remove(TreeKey(unchecked: key), from: id, by: identity)
            }
            guard isDone else { return }
            model.apply([NaiveWrite("comments/\(post)/\(key)", nil)])
        default: return
        }
    }

    private func addComment(
        _ operation: SocialOperation, _ post: String, _ uid: String, _ mentions: [String]
    ) async throws {
        guard let id = PostID(post) else { return }
        let (user, comments) = (try user(uid), Comments(tree, ids: nextID()))
        let (text, value, records) = try text(mentions)
        let areThere = mentions.allSatisfy { model.exists("people/\($0)") }
        var key = ""
        let code = refusal(post, uid) ?? refusal(uid, isContent: true)
        let isDone = try await attempt("\(operation)", code ?? (areThere ? nil : .badMention)) {
            key = try await comments.add(text, by: user, to: id).comment.id.string
        }
        guard isDone else { return }
        var fields: [TreeKey: TreeValue] = [
            "author": person(user).author, "text": value, "timestamp": clock.now.value,
        ]
        fields["mentions"] = records
        model.apply([NaiveWrite("comments/\(post)/\(key)", .object(fields))])
    }

    private func edit(
        _ operation: SocialOperation, _ post: String, _ number: Int, _ uid: String, _ mentions: [String]
    ) async throws {
        guard let id = PostID(post) else { return }
        let known = model.main.keys("comments/\(post)")
        let path = "comments/\(post)/\(number < known.count ? known[number] : "c9")"
        let (text, value, records) = try text(mentions)
        var code = refusal(post, uid) ?? refusal(uid, isContent: true)
        if code == nil, !model.exists(path) { code = .notFound }
        if code == nil, model.main.text("\(path)/author/uid") != uid { code = .notAllowed }
        if code == nil, !mentions.allSatisfy({ model.exists("people/\($0)") }) { code = .badMention }
        // A record without a time is not a comment, and cannot be shown after the change.
        if code == nil, model.main["\(path)/timestamp"] == nil { return }
        let (user, comments) = (try user(uid), Comments(tree, ids: nextID()))
        let key = TreeKey(unchecked: number < known.count ? known[number] : "c9")
        let isDone = try await attempt("\(operation)", code) {
            _ = try await comments.edit(key, on: id, to: text, by: user)
        }
        guard isDone, model.main["\(path)/text"] != value || model.main["\(path)/mentions"] != records else { return }
        model.apply([
            NaiveWrite("\(path)/text", value), NaiveWrite("\(path)/mentions", records),
            NaiveWrite("\(path)/edited", clock.now.value),
        ])
    }

    private func deletePerson(_ uid: String) async throws {
        let user = try user(uid)
        guard !model.jobs.deletedPeople.contains(uid) else {
            _ = try await PersonDeletion.begin(of: user, in: tree)
            return
        }
        // A feed may be all that is left of a person.
        let hasFeed = try await tree.get(FeedNodes.entry(user)) != nil
        let isThere = hasFeed || model.hasTraces(of: uid)
        let tree = tree
        let isDone = try await attempt("deletion of \(uid)", isThere ? nil : .notFound) {
            _ = try await PersonDeletion.begin(of: user, in: tree)
        }
        guard isDone else { return }
        model.jobs.deletedPeople.insert(uid)
        model.apply(["full_name", "profile_picture", "role", "bio"].map { NaiveWrite("people/\(uid)/\($0)", nil) })
    }

    // MARK: Announcements

    private func announce(_ author: String?, _ people: [String]) async throws {
        let announcements = Announcements(tree, ids: nextID())
        let recipients = people.compactMap { UserID($0) }
        let document = try await announcements.publish(
            "news", by: author.flatMap { UserID($0) }, to: people.isEmpty ? nil : recipients
        ).document
        guard people.isEmpty else { return model.send(letter: document.id, to: Set(people)) }
        var fields: [TreeKey: TreeValue] = ["text": "news", "timestamp": clock.now.value]
        if let author { fields["author"] = person(try user(author)).author }
        model.apply([NaiveWrite("announcements/\(document.id)", .object(fields))])
    }

    private func retract(_ number: Int) async throws {
        let known = model.main.keys("announcements") + model.told.letters.keys.sorted()
        guard number < known.count else { return }
        let announcements = Announcements(tree, ids: nextID())
        _ = try await announcements.remove(TreeKey(unchecked: known[number]))
        if model.told.letters[known[number]] != nil { return model.withdraw(letter: known[number]) }
        model.apply([NaiveWrite("announcements/\(known[number])", nil)])
    }
}
