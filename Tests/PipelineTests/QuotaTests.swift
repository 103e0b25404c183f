import API
import Foundation
import Keeping
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("Quotas of users", .timeLimit(.minutes(10)))
struct QuotaTests {
    private static let photo = "baseline-420.jpg"

    @Test(
        "An amount is parsed in common notations, and other texts are refused",
        arguments: [
            ("0", 0), ("5GB", 5_000_000_000), ("2KiB", 2048), ("10kB", 10_000), ("1TiB", 1 << 40), ("", nil),
            ("-1", nil),
            ("GB", nil), ("1.5GB", nil), ("5 GB", nil), ("99999999999TB", nil), ("+5", nil),
        ] as [(String, Int?)])
    func amounts(text: String, bytes: Int?) { #expect(ByteAmount.read(text) == bytes) }

    /// The quotas that a setting gives to maria, who is in no group, to a user who signed up, and to an anonymous user.
    static let settings: [(setting: String?, quotas: [Quota?])] = [
        (nil, [nil, Quota(1 << 30, for: .signedUp), Quota(50 << 20, for: .anonymous)]),
        (
            "none signed-up=1GiB anonymous=50MiB",
            [nil, Quota(1 << 30, for: .signedUp), Quota(50 << 20, for: .anonymous)]
        ),
        ("none", [nil, nil, nil]), ("5kB", Array(repeating: Quota(5000, for: .everybody), count: 3)),
        ("anonymous=7 9", [Quota(9, for: .everybody), Quota(9, for: .everybody), Quota(7, for: .anonymous)]),
        ("signed-up=7", [nil, Quota(7, for: .signedUp), Quota(7, for: .signedUp)]),
        ("5kB signed-up=none anonymous=0", [Quota(5000, for: .everybody), nil, Quota(0, for: .anonymous)]),
    ]

    @Test(
        "A setting contains the quotas of self-made accounts and of others",
        arguments: settings)
    func standards(setting: String?, quotas: [Quota?]) async throws {
        let chosen = try setting.map { try #require(StandardQuotas(parsing: $0)) }
        try await withPipeline(runs: false, settings: { if let chosen { $0.userQuota = chosen } }) { running in
            for (group, quota) in zip([nil, .signedUp, .anonymous] as [QuotaScope?], quotas) {
                try await join(group, running)
                let user = try #require(UserID("maria"))
                try await running.storage.tree.set(PeopleNodes.person(user) / "full_name", to: "Maria")
                let usage = try await running.pipeline.usage.document(of: user)
                #expect(usage.quota == quota?.bytes && usage.quotaScope == quota?.scope, "\(group as Any)")
                try await running.pipeline.quotas.set(.bytes(3), for: user)
                let own = try await running.pipeline.usage.document(of: user)
                #expect(own.quota == 3 && own.quotaScope == .user)
                try await running.pipeline.quotas.set(.standard, for: user)
            }
        }
    }

    @Test(
        "Other texts are not valid settings",
        arguments: [
            "", " ", "lots", "5 6", "user=5", "everybody=5", "signed-up", "signed-up=", "=5", "none signed-up=default",
            "5,6",
        ])
    func noStandard(text: String) { #expect(StandardQuotas(parsing: text) == nil) }

    /// Adds maria's account to a group.
    private func join(_ group: QuotaScope?, _ running: RunningPipeline) async throws {
        let user = try #require(UserID("maria"))
        try await running.storage.tree.transact { snapshot, update in
            try UserQuotas.setGroup(group, of: user, in: snapshot, &update)
        }
    }

    @Test("A user with a self-made account who deletes and sends again stores no more than twice the quota")
    func sentAnew() async throws {
        let length = try Fixture.bytes(Self.photo).count
        let quotas = try #require(StandardQuotas(parsing: "none anonymous=\(4 * length)"))
        try await withPipeline(settings: { $0.userQuota = quotas }) { running in
            let maria = try #require(UserID("maria"))
            func sendAndDelete() async throws {
                let post = try await running.upload([("a.jpg", try Fixture.bytes(Self.photo))], by: "maria").id
                try await running.storage.tree.set(PostNodes.post(post), to: nil)
            }
            try await join(.anonymous, running)
            try await sendAndDelete()
            let reader = running.pipeline.usage
            let once = try await reader.document(of: maria).garbage.bytes
            var refused: Failure?
            for _ in 0..<8 where refused == nil { refused = await refusal { try await sendAndDelete() } }
            #expect(refused?.code == .quotaExceeded && refused?.message.contains("grace period") == true)
            #expect(refused?.room?.quota == Quota(4 * length, for: .anonymous))
            let full = try await reader.document(of: maria)
            #expect(full.used == 0 && full.garbage.bytes <= 8 * length + once)

            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            try await sendAndDelete()
            // With a quota set by an operator, deleted files do not count.
            try await running.pipeline.quotas.set(.bytes(4 * length), for: maria)
            for _ in 0..<9 { try await sendAndDelete() }
        }
    }

    private func refusal(_ body: () async throws -> Void) async -> Failure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? Failure
        }
    }

    private func upload(_ running: RunningPipeline, expecting length: Int? = nil) async throws {
        let request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
        let record = try await running.reserve(request)
        var session = running.pipeline.receiver.resume(record)
        do {
            if let length { try await session.expect(length) }
            try await session.receive(try Fixture.bytes(Self.photo), named: "a.jpg")
            _ = try await running.pipeline.store.end(of: session.accept(text: "").id)
        } catch {
            try await running.pipeline.store.expire(record.id, from: .reserved)
            throw error
        }
    }

    /// Ways of sending as many bytes as the photo has.
    private static let waysIn: [(name: String, send: @Sendable (QuotaTests, RunningPipeline) async throws -> Void)] = [
        ("a session", { try await $0.upload($1) }),
        ("a session with an announced length", { try await $0.upload($1, expecting: try Fixture.bytes(photo).count) }),
        (
            "a draft",
            { _, running in
                var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
                request.isDraft = true
                var session = running.pipeline.receiver.resume(try await running.reserve(request))
                try await session.receive(try Fixture.bytes(photo), named: "a.jpg")
            }
        ),
        (
            "an upload in several requests",
            { _, running in
                let request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
                let length = try Fixture.bytes(photo).count
                _ = try await running.pipeline.resumable.begin(request, .init(name: "a.jpg", length: length))
            }
        ),
        (
            "an upload without a length",
            { _, running in
                let request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
                let begun = try await running.pipeline.resumable.begin(request, .init(name: "a.jpg"))
                guard case .new(let record) = begun else {
                    Issue.record("the upload is a new one")
                    return
                }
                let bytes = ByteBuffer(bytes: try Fixture.bytes(photo))
                do {
                    try await running.pipeline.files.withFile(record.id) { session in
                        var rest: ByteBuffer? = bytes
                        try await session.receive(isLast: true) {
                            defer { rest = nil }
                            return rest
                        }
                    }
                } catch {
                    try await running.pipeline.resumable.cancel(record.id)
                    throw error
                }
            }
        ),
        (
            "an object",
            { _, running in
                let objects = running.pipeline.objects
                let name = try #require(ObjectName("maria/full/\(UUID())/a.jpg"))
                let upload = try await objects.beginUpload(of: name)
                try await upload.write(ByteBuffer(bytes: try Fixture.bytes(photo)))
                _ = try await objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
            }
        ),
        (
            "an object in several requests",
            { _, running in
                let name = try #require(ObjectName("maria/\(UUID())"))
                let object = ResumableObject(name, ObjectMetadata(), identity: .null, secret: "s")
                let length = try Fixture.bytes(photo).count
                _ = try await running.pipeline.objects.begin(object, of: "maria", length: length)
            }
        ),
    ]

    @Test(
        "Each way of sending refuses bytes beyond the quota, keeps none of them, and accepts what fits",
        arguments: waysIn.indices)
    func refusedAndTaken(_ index: Int) async throws {
        let length = try Fixture.bytes(Self.photo).count
        let way = Self.waysIn[index]
        let quotas = try #require(StandardQuotas(parsing: "\(2 * length - 1)"))
        try await withPipeline(settings: { $0.userQuota = quotas }) { running in
            let maria = try #require(UserID("maria"))
            let reader = running.pipeline.usage
            try await self.upload(running)
            let before = try await reader.document(of: maria)
            #expect(before.used == length && before.quota == 2 * length - 1)
            let refused = await refusal { try await way.send(self, running) }
            #expect(refused?.code == .quotaExceeded && refused?.isTransient == false, "\(way.name): \(refused as Any)")
            let room = try #require(refused?.room)
            #expect(
                room.used == length && room.quota == Quota(2 * length - 1, for: .everybody) && room.needed > 0
                    && room.needed <= length)
            #expect(try await reader.document(of: maria).used == length, "\(way.name)")

            try await running.pipeline.quotas.set(.bytes(2 * length), for: maria)
            try await way.send(self, running)
            let after = try await reader.document(of: maria)
            #expect(after.used == 2 * length && after.quota == 2 * length, "\(way.name): \(after)")
            #expect(await refusal { try await way.send(self, running) }?.code == .quotaExceeded)
        }
    }

    @Test("People and accounts have a quota before their first file, and nobody else has one")
    func withoutFiles() async throws {
        let length = try Fixture.bytes(Self.photo).count
        try await withPipeline(settings: { $0.userQuota = StandardQuotas(parsing: "1MB") ?? $0.userQuota }) { running in
            let (reader, tree) = (running.pipeline.usage, running.storage.tree)
            let (ann, maria) = (try #require(UserID("ann")), try #require(UserID("maria")))
            for (user, node) in [(ann, PeopleNodes.person(ann)), (maria, AccountNodes.account(maria.key))] {
                await #expect(throws: Failure.self) { try await reader.document(of: user) }
                try await tree.set(node / "created", to: 1)
                let usage = try await reader.document(of: user)
                #expect(usage.used == 0 && usage.quota == 1_000_000 && usage.quotaScope == .everybody, "\(usage)")
            }
            try await running.pipeline.quotas.set(.bytes(length - 1), for: maria)
            #expect(await refusal { try await self.upload(running) }?.code == .quotaExceeded)
            let usage = try await reader.document(of: maria)
            #expect(usage.used == 0 && usage.quota == length - 1 && usage.quotaScope == .user, "\(usage)")
        }
    }

    @Test("Uploads at the same time never exceed the free space")
    func atOnce() async throws {
        let length = try Fixture.bytes(Self.photo).count
        let quotas = try #require(StandardQuotas(parsing: "\(3 * length)"))
        try await withPipeline(settings: { $0.userQuota = quotas }) { running in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<12 { group.addTask { (try? await self.upload(running)) != nil } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let maria = try #require(UserID("maria"))
            let used = try await running.pipeline.usage.document(of: maria).used
            #expect(used <= 3 * length && used == length * outcomes.count { $0 }, "\(outcomes)")
            #expect(used > 0)
        }
    }

    @Test(
        "Files stay over a lower quota, deletions free space, and an object may replace itself"
    )
    func lowered() async throws {
        let length = try Fixture.bytes(Self.photo).count
        try await withPipeline { running in
            let (maria, quotas) = (try #require(UserID("maria")), running.pipeline.quotas)
            let post = try await running.upload([("a.jpg", try Fixture.bytes(Self.photo))], by: "maria").id
            try await quotas.set(.bytes(10), for: maria)
            #expect(try await running.pipeline.store.record(of: post)?.state == .published)
            #expect(await refusal { try await self.upload(running) }?.code == .quotaExceeded)
            _ = try await running.upload([], by: "maria", text: "words are not files")
            try await running.storage.tree.set(PostNodes.post(post), to: nil)
            try await quotas.set(.bytes(length), for: maria)
            try await self.upload(running)
            try await quotas.set(.unlimited, for: maria)
            try await self.upload(running)
            try await quotas.set(.standard, for: maria)
            #expect(try await running.pipeline.usage.document(of: maria).quota == nil)

            let (objects, name) = (running.pipeline.objects, try #require(ObjectName("jan/a")))
            try await quotas.set(.bytes(10), for: try #require(UserID("jan")))
            for text in ["123456789", "1234567890"] {
                let upload = try await objects.beginUpload(of: name, length: text.count)
                try await upload.write(ByteBuffer(string: text))
                _ = try await objects.put(try await upload.finish(), as: name, ObjectMetadata()) { _ in }
            }
            #expect(await refusal { _ = try await objects.beginUpload(of: name, length: 11) }?.code == .quotaExceeded)
        }
    }
}
