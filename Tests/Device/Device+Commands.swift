import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

extension Device {
    /// Carries out a command, and returns the members of its answer.
    func perform(_ command: Command) async throws -> [String: JSONValue] {
        switch command.name {
        case "post", "edit-post", "delete-post", "like", "comment", "edit-comment", "delete-comment":
            try await writeOnPost(command)
        case "follow", "block", "read", "profile", "write": try await write(command)
        case "retry", "discard": try await decide(command)
        case "load", "load-comments", "load-person": try await load(command)
        case "sign-in", "sign-out": try await session(command)
        case "state": ["state": try await state()]
        case "quiet": try await quiet(upTo: Int64(command.number("change")))
        case "position": try await position()
        case "clock":
            clock.jump(by: try command.number("seconds"))
        case "network":
            network.set(try command.flag("on"))
        default: throw MissingArgument(name: "do")
        }
    }

    private func writeOnPost(_ command: Command) async throws -> [String: JSONValue] {
        switch command.name {
        case "post":
            var draft = PostDraft(text: command.document["text"]?.string)
            draft.photos = (command.document["photos"]?.array ?? []).compactMap(\.string).map { path in
                let file = URL(fileURLWithPath: path)
                return PhotoDraft(file: file, alternativeText: "from \(file.lastPathComponent)")
            }
            return answer(try await store.publish(draft))
        case "edit-post": return answer(try await store.edit(command.id("post"), text: command.text("text")))
        case "delete-post": return answer(try await store.delete(command.id("post") as Post.ID))
        case "like": return answer(try await store.setLike(command.flag("on"), of: command.id("post")))
        case "comment": return answer(try await store.comment(command.text("text"), on: command.id("post")))
        case "edit-comment":
            return answer(
                try await store.edit(command.id("comment"), on: command.id("post"), text: command.text("text")))
        default: return answer(try await store.delete(command.id("comment"), on: command.id("post")))
        }
    }

    private func write(_ command: Command) async throws -> [String: JSONValue] {
        switch command.name {
        case "follow": answer(try await store.setFollowing(command.flag("on"), of: command.id("person")))
        case "block": answer(try await store.setBlocking(command.flag("on"), of: command.id("person")))
        case "read":
            number(try await store.markAsRead(upTo: command.document["up_to"]?.string.map { .init($0) }).id)
        case "profile":
            number(
                try await store.changeProfile(
                    name: command.document["name"]?.string, bio: command.document["bio"]?.string
                ).id)
        default:
            number(
                try await store.write(
                    command.document["values"]?.object ?? [:], at: command.text("path"),
                    basedOn: command.document["base"]
                ).id)
        }
    }

    private func decide(_ command: Command) async throws -> [String: JSONValue] {
        let id = WriteID(rawValue: Int64(try command.number("write")))
        if command.name == "retry" { try await store.retry(id) } else { try await store.discard(id) }
        return [:]
    }

    private func load(_ command: Command) async throws -> [String: JSONValue] {
        switch command.name {
        case "load":
            // Pages until the lists are complete.
            while try await store.loadOlderNotifications() {}
            let feed = store.feed()
            while true {
                let snapshot = try await Device.first(feed.snapshots())
                guard snapshot.hasOlder else { return ["count": .integer(Int64(snapshot.posts.count))] }
                try await feed.loadOlder()
            }
        case "load-comments":
            let post: Post.ID = try command.id("post")
            var hasMore = try await store.loadComments(on: post)
            while hasMore { hasMore = try await store.loadOlderComments(on: post) }
        default: try await store.loadPerson(command.id("person"))
        }
        return [:]
    }

    private func session(_ command: Command) async throws -> [String: JSONValue] {
        if command.name == "sign-out" {
            try await client.session.signOut()
            return [:]
        }
        let account = try await client.session.signIn(
            email: command.text("email"), password: command.text("password"))
        return ["account": .string(account.id.rawValue)]
    }

    /// Waits until nothing must be sent, and the device has read the changes up to a number.
    private func quiet(upTo change: Int64) async throws -> [String: JSONValue] {
        while true {
            let (count, known) = (try await Device.first(store.unsentCount()), try await changeNumber())
            if count == 0, let known, known >= change { return ["change": .integer(known)] }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func position() async throws -> [String: JSONValue] {
        let states: JSONValue =
            switch try await client.session.state {
            case .signedIn: "signed-in"
            case .expired: "expired"
            case .signedOut: "signed-out"
            }
        return [
            "session": states, "unsent": .integer(Int64(try await Device.first(store.unsentCount()))),
            "change": (try await changeNumber()).map { .integer($0) } ?? .null,
            "laid": .integer(Int64(try await laidCount())),
        ]
    }

    /// The number of the last change that the device has read.
    private func changeNumber() async throws -> Int64? {
        try await records.read { reader in
            let facts = try reader.records("fact", in: RecordRange(prefix: ""), isDescending: false, limit: .max)
            return facts.first { $0.key.hasSuffix("/cursor") }
                .flatMap { SyncChanges(next: String(decoding: $0.value, as: UTF8.self)).changeNumber }
        }
    }

    /// The number of writes that the service has carried out, and that are still laid over what it has answered.
    private func laidCount() async throws -> Int {
        try await records.read { reader in
            try reader.records("queue", in: RecordRange(prefix: ""), isDescending: false, limit: .max)
                .count { $0.key.contains("/sent/") }
        }
    }

    private func answer<ID>(_ submission: Submission<EntityID<ID>>) -> [String: JSONValue] {
        var answer = number(submission.id)
        answer["subject"] = .string(submission.subject.rawValue)
        return answer
    }

    private func number(_ id: WriteID?) -> [String: JSONValue] { ["write": id.map { .integer($0.rawValue) } ?? .null] }

    /// Returns the present value of a sequence.
    static func first<Value>(_ values: LocalValues<Value>) async throws -> Value {
        for try await value in values { return value }
        throw CancellationError()
    }
}
