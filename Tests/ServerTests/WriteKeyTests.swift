import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("A write that arrives again later, with its idempotency key, undoes nothing", .timeLimit(.minutes(20)))
struct WriteKeyTests {
    typealias Write = WriteKeyRow.Write

    /// The post and the comment of a test.
    private struct Subject: Sendable {
        let post: String
        let comment: String

        func path(_ text: String) -> String {
            text.replacing("{post}", with: post).replacing("{comment}", with: comment)
        }
    }

    private func send(
        _ write: Write, key: String? = nil, on subject: Subject, _ service: RoutedService
    ) async throws -> Answer {
        var headers = try write.uid.map { try service.headers(of: $0, ["name": .string($0)]) } ?? [:]
        headers[.named("idempotency-key")] = key
        if write.body != nil { headers[.contentType] = "application/json" }
        let client = write.uid == nil ? service.client : service.tcpClient
        return try await client.ask(
            write.method, subject.path(write.path), headers: headers,
            body: write.body.map { .bytes(Array($0.utf8)) } ?? .none)
    }

    /// Creates Maria's post with Anna's comment, and Maria's audience with Jan.
    private func prepare(_ service: RoutedService) async throws -> Subject {
        try await service.setDefaultRules()
        try await service.addPeople("maria", "anna", "jan", "eve")
        let post = try #require(try await service.client.post("hello"))
        let comment = try await service.ask(
            .post, "/v1/posts/\(post)/comments", as: "anna", #"{"text":"zero and more"}"#)
        let audience = try await service.ask(
            .put, "/v1/audiences/c", as: "maria", #"{"name":"7b","kind":"class","members":{"jan":"reader"}}"#)
        #expect(audience.status == 201, "\(audience.text)")
        return Subject(post: post, comment: try #require(comment.json["comment_id"].string, "\(comment.text)"))
    }

    /// Returns the whole database, once the work that follows from writes is done.
    private func database(_ service: RoutedService) async throws -> String {
        try await service.finishJobs()
        return try await service.client.get("/.json?format=export").text
    }

    @Test(
        "It gets the present state, also after a restart, and another request with its key is refused",
        arguments: WriteKeyRow.rows)
    func rows(_ row: WriteKeyRow) async throws {
        try await withScratch { scratch in
            let (subject, present) = try await withRoutes(in: scratch) { service in
                let subject = try await prepare(service)
                func expectDone(_ write: Write, key: String? = nil) async throws -> Answer {
                    let answer = try await send(write, key: key, on: subject, service)
                    #expect([200, 201].contains(answer.status), "\(write): \(answer.text)")
                    return answer
                }
                for write in row.before { _ = try await expectDone(write) }
                let first = try await expectDone(row.first, key: "one")
                for write in row.then { _ = try await expectDone(write) }
                let present = try await database(service)
                for _ in 0..<2 {
                    let again = try await send(row.first, key: "one", on: subject, service)
                    #expect(again.status == 200 && row.shows(again.json), "\(again.text)")
                    if row.then.isEmpty { #expect(again.json == first.json) }
                    let other = try await send(row.other, key: "one", on: subject, service)
                    #expect(other.status == 422 && other.json["code"].string == "key_reused", "\(other.text)")
                    #expect(try await database(service) == present)
                }
                return (subject, present)
            }
            try await withRoutes(in: scratch) { service in
                let again = try await send(row.first, key: "one", on: subject, service)
                #expect(again.status == 200 && row.shows(again.json), "\(again.text)")
                #expect(try await database(service) == present)
            }
        }
    }

    private static let like = "/v1/posts/{post}/likes/anna"

    @Test("A request that changed nothing is recorded, too")
    func withoutEffect() async throws {
        try await withRoutes { service in
            let subject = try await prepare(service)
            let (set, remove) = (Write(.put, Self.like, by: "anna"), Write(.delete, Self.like, by: "anna"))
            for (key, write) in [("none", remove), (nil, set), ("set", set), (nil, remove), ("set", set)] {
                let answer = try await send(write, key: key, on: subject, service)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(try await service.client.get("/likes.json").json == .null)
            _ = try await send(set, on: subject, service)
            #expect(try await send(remove, key: "none", on: subject, service).json["liked"].bool == true)
        }
    }

    @Test("A refused request leaves its key free")
    func refused() async throws {
        let refusals: [(Write, Int)] = [
            (Write(.put, "/v1/posts/-P6xMaZs705oZOURNBhN/likes/anna", by: "anna"), 404),
            (Write(.put, "/v1/people/anna/following/anna", by: "anna"), 422),
            (Write(.put, "/v1/people/anna/following/nobody", by: "anna"), 404),
            (Write(.put, "/v1/people/maria/blocking/jan", by: "anna"), 403),
            (Write(.patch, "/v1/posts/{post}/comments/{comment}", by: "anna", #"{"text":""}"#), 400),
            (Write(.delete, "/v1/posts/{post}", by: "anna"), 403),
            (Write(.delete, "/v1/posts/{post}/comments/none", by: "anna"), 404),
            (Write(.patch, "/v1/people/anna", by: "anna", #"{"name":"x"}"#), 400),
            (Write(.patch, "/v1/audiences/c", by: "anna", #"{"name":"x"}"#), 403),
            (Write(.delete, "/v1/audiences/c/members/jan", by: "anna"), 403),
            (Write(.post, "/v1/people/anna/notifications/read", by: "anna", #"{"all":false}"#), 400),
        ]
        try await withRoutes { service in
            let subject = try await prepare(service)
            for (number, (write, status)) in refusals.enumerated() {
                for _ in 0..<2 {
                    let answer = try await send(write, key: "\(number)", on: subject, service)
                    #expect(answer.status == status, "\(write): \(answer.text)")
                }
                let like = Write(number.isMultiple(of: 2) ? .put : .delete, Self.like, by: "anna")
                let answer = try await send(like, key: "\(number)", on: subject, service)
                #expect(answer.status == 200, "\(write): \(answer.text)")
                #expect(answer.json["liked"].bool == number.isMultiple(of: 2))
            }
        }
    }

    @Test("A key belongs to its sender; who has no id has none, and a malformed one is refused")
    func senders() async throws {
        try await withRoutes { service in
            let subject = try await prepare(service)
            for uid in ["anna", "jan", nil] {
                let write = Write(.put, "/v1/posts/{post}/likes/\(uid ?? "eve")", by: uid)
                let answer = try await send(write, key: "one", on: subject, service)
                #expect(answer.status == 200 && answer.json["liked"].bool == true, "\(answer.text)")
            }
            #expect(try await service.client.get("/likes/\(subject.post).json").json.keys == ["anna", "jan", "eve"])

            let path = subject.path("/v1/posts/{post}/comments/{comment}")
            let key = HTTPField.Name.named("idempotency-key")
            #expect(try await service.tcpClient.ask(.delete, path, headers: [key: "one"]).status == 401)
            var headers = try service.headers(of: "a b")
            headers[key] = "one"
            let nobody = try await service.tcpClient.ask(.delete, path, headers: headers)
            #expect(nobody.status == 400 && nobody.json["code"].string == "bad_reference", "\(nobody.text)")
            for malformed in ["", String(repeating: "x", count: 201)] {
                let answer = try await send(Write(.delete, path, by: "anna"), key: malformed, on: subject, service)
                #expect(answer.status == 400, "\(answer.text)")
            }
            #expect(try await service.client.get(path).status == 200)
        }
    }

    @Test("Copies that arrive at the same time have one effect", arguments: ["likes", "comments"])
    func together(_ kind: String) async throws {
        try await withRoutes { service in
            let subject = try await prepare(service)
            let write =
                kind == "likes"
                ? Write(.put, Self.like, by: "anna") : Write(.delete, "/v1/posts/{post}/comments/{comment}", by: "anna")
            let answers = try await withThrowingTaskGroup(of: Answer.self) { tasks in
                for _ in 0..<16 { tasks.addTask { try await send(write, key: "one", on: subject, service) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.json == answers[0].json }, "\(answers.map(\.text))")
        }
    }

    @Test("The edit of a comment is the same with another time of the device; of a deleted comment it answers 410")
    func comment() async throws {
        try await withRoutes { service in
            let subject = try await prepare(service)
            let path = "/v1/posts/{post}/comments/{comment}"
            for time in [5, 6] {
                let edit = Write(.patch, path, by: "anna", #"{"text":" one ","client_timestamp":\#(time)}"#)
                let answer = try await send(edit, key: "one", on: subject, service)
                #expect(answer.status == 200 && answer.json["client_edited"].int == 5, "\(answer.text)")
            }
            #expect(try await send(Write(.delete, path, by: "maria"), on: subject, service).status == 200)
            let late = try await send(
                Write(.patch, path, by: "anna", #"{"text":"one"}"#), key: "one", on: subject, service)
            #expect(late.status == 410 && late.json["code"].string == "deleted", "\(late.text)")
        }
    }

    @Test("A former owner of an audience does not learn its state by a repetition")
    func formerOwner() async throws {
        try await withRoutes { service in
            let subject = try await prepare(service)
            let repeated = [
                Write(.patch, "/v1/audiences/c", by: "maria", #"{"name":"8b"}"#),
                Write(.put, "/v1/audiences/c", by: "maria", #"{"name":"8c","kind":"class"}"#),
                Write(.put, "/v1/audiences/c/members/jan", by: "maria", #"{"role":"owner"}"#),
                Write(.delete, "/v1/audiences/c/members/anna", by: "maria"),
            ]
            for (number, write) in repeated.enumerated() {
                let answer = try await send(write, key: "\(number)", on: subject, service)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let leave = Write(.delete, "/v1/audiences/c/members/maria", by: "maria")
            for _ in 0..<2 {
                let answer = try await send(leave, key: "leave", on: subject, service)
                #expect(answer.status == 200 && answer.json["role"] == .null, "\(answer.text)")
            }
            for (number, write) in repeated.enumerated() {
                let answer = try await send(write, key: "\(number)", on: subject, service)
                #expect(answer.status == 403 && answer.json["code"].string == "not_member", "\(answer.text)")
            }
        }
    }
}
