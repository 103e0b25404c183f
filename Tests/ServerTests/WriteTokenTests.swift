import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("The answer to every write has a position that includes it", .timeLimit(.minutes(20)))
struct WriteTokenTests {
    @Test("The position is not before the write, by each protocol; refusals and reads have none")
    func tokens() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria")
            let json: HTTPFields = [.contentType: "application/json"]
            let rows: [(HTTPRequest.Method, String, HTTPFields, String?)] = [
                (.put, "/notes/a.json", [:], "1"), (.patch, "/notes.json", [:], #"{"b":2,"c":3}"#),
                (.post, "/notes.json", [:], "4"), (.delete, "/notes/a.json", [:], nil),
                (.post, "/v1/uploads?user=maria&text=hello", [:], nil),
                (.put, "/v1/people/maria", json, #"{"full_name":"Maria"}"#),
                (.post, "/v0/b/tintype.appspot.com/o?name=a.txt&uploadType=media", [.contentType: "text/plain"], "x"),
                (.delete, "/v0/b/tintype.appspot.com/o/a.txt", [:], nil),
                (
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", json,
                    #"{"email":"maria@example.org","password":"a long password"}"#
                ),
            ]
            for (method, path, headers, body) in rows {
                let before = try await service.tree.token
                let answer = try await service.client.ask(
                    method, path, headers: headers, body: body.map { .bytes(Array($0.utf8)) } ?? .none)
                let after = try await service.tree.token
                #expect((200..<300).contains(answer.status), "\(path): \(answer.text)")
                let token = answer.headers[.named("tintype-token")].flatMap { UInt64($0) }
                    .map { SyncToken(sequence: $0) }
                #expect(
                    before < after && token.map { before < $0 && $0 <= after } == true, "\(path): \(answer.headers)")
            }
            let refused = try await service.client.ask(.put, "/notes/a.json", body: .bytes(Array("{".utf8)))
            #expect(refused.status == 400 && refused.headers[.named("tintype-token")] == nil)
        }
    }

    @Test("The reports of a job have none, because they begin before the job writes")
    func jobs() async throws {
        try await withService { service in
            for path in ["/v1/scrub", "/v1/audit?action=check"] {
                let answer = try await service.client.ask(.post, path)
                #expect(answer.status == 200, "\(path): \(answer.text)")
                #expect(answer.headers[.named("tintype-token")] == nil, "\(path)")
            }
        }
    }
}
