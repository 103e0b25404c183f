import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

extension Device {
    /// Everything that the person sees: the feed with its comments, notifications, people, and writes that wait.
    func state() async throws -> JSONValue {
        let feed = store.feed(screenCount: 100_000)
        let snapshot = try await Device.first(feed.snapshots())
        var (posts, comments): ([JSONValue], [String: JSONValue]) = ([], [:])
        for shown in snapshot.posts {
            posts.append(
                .object([
                    "identity": .string(shown.id.rawValue), "state": .string(shown.state.rawValue),
                    "post": try Self.document(shown.post),
                    "files": .integer(Int64(shown.photoFiles.values.filter { Self.exists($0) }.count)),
                    "parked": .array(shown.parkedWrites.map { .integer($0.rawValue) }),
                ]))
            comments[shown.id.rawValue] = try await self.comments(on: shown.id)
        }
        let notifications = try await Device.first(store.notifications())
        let parked = try await Device.first(store.parkedWrites())
        return .object([
            "posts": .array(posts), "hasOlder": .bool(snapshot.hasOlder), "comments": .object(comments),
            "notifications": .array(try notifications.notifications.map { try Self.document($0) }),
            "unread": .integer(Int64(notifications.unreadCount)),
            "parked": .array(
                parked.map { write in
                    .object([
                        "write": .integer(write.id.rawValue), "post": write.post.map { .string($0.rawValue) } ?? .null,
                        "reason": .string("\(write.reason)"), "isConflict": .bool(write.isConflict),
                    ])
                }),
            "unsent": .integer(Int64(try await Device.first(store.unsentCount()))),
            "audiences": .array(try await Device.first(store.audiences()).map { try Self.document($0) }),
        ])
    }

    private func comments(on post: Post.ID) async throws -> JSONValue {
        .array(
            try await Device.first(store.comments(on: post)).map { shown in
                .object([
                    "identity": .string(shown.id.rawValue), "state": .string(shown.state.rawValue),
                    "comment": try Self.document(shown.comment),
                ])
            })
    }

    private static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    private static func document(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }
}

extension ParkedWrite {
    fileprivate var isConflict: Bool { if case .conflict = reason { true } else { false } }
}
