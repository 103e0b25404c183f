import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Tree
import TreeModel

@Suite("A custom app, with the rules of Documentation/Retreat.md", .timeLimit(.minutes(20)))
struct RetreatTests {
    /// A request of a user who has signed in.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let body: String?
        let testDescription: String

        init(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) {
            (self.method, self.path, self.body) = (method, path, body)
            testDescription = "\(method) \(path) \(body ?? "")"
        }
    }

    /// Runs a test's body against a service with the rules of the page.
    private func withRetreat(_ body: @Sendable (Service) async throws -> Void) async throws {
        let page = URL(fileURLWithPath: Fixture.folder).deletingLastPathComponent()
            .appendingPathComponent("Documentation/Retreat.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rules = try #require(text.firstMatch(of: /```json retreat\.json\n(?<rules>(?s:.*?))\n```/)).rules
        try await withService { service in
            try await service.tree.setRules(String(rules))
            try await body(service)
        }
    }

    /// Sends a request as a user whose name is their id, and returns the answer; `dana` is an organizer.
    private func send(_ attempt: Attempt, as uid: String, _ service: Service) async throws -> Answer {
        let claims: [String: JSONValue] = ["name": .string(uid)].merging(uid == "dana" ? ["admin": .bool(true)] : [:]) {
            $1
        }
        return try await service.tcpClient.ask(
            attempt.method, attempt.path, headers: try service.headers(of: uid, claims),
            body: .bytes(Array((attempt.body ?? "").utf8)))
    }

    private static let lodge = #"{"name":"Lodge","latitude":46.5,"longitude":8.1}"#

    @Test("B20: The map can be read by signed-in users, and changed by organizers")
    func places() async throws {
        try await withRetreat { service in
            let put = Attempt(.put, "/places/lodge.json", Self.lodge)
            #expect(try await send(put, as: "ann", service).status == 401)
            #expect(try await send(put, as: "dana", service).status == 200)
            let read = try await send(Attempt(.get, "/places.json"), as: "ann", service)
            #expect(read.json["lodge"]["latitude"] == .number(46.5), "\(read.text)")
            #expect(try await service.tcpClient.get("/places.json").status == 401)
            #expect(try await send(Attempt(.delete, "/places/lodge.json"), as: "ann", service).status == 401)
            #expect(try await send(Attempt(.delete, "/places/lodge.json"), as: "dana", service).status == 200)
        }
    }

    @Test(
        "B7, B8: A place and a location have both coordinates, which are numbers on this earth",
        arguments: [
            ("", 401), (#","latitude":46.5"#, 401), (#","latitude":null,"longitude":8.1"#, 401),
            (#","latitude":90.1,"longitude":8.1"#, 401), (#","latitude":-90.1,"longitude":8.1"#, 401),
            (#","latitude":46.5,"longitude":180.1"#, 401), (#","latitude":46.5,"longitude":-181"#, 401),
            (#","latitude":"NaN","longitude":8.1"#, 401), (#","latitude":NaN,"longitude":8.1"#, 400),
            (#","latitude":46.5,"longitude":NaN"#, 400), (#","latitude":-Infinity,"longitude":8.1"#, 400),
            (#","latitude":1e999,"longitude":8.1"#, 400), (#","latitude":-90,"longitude":180"#, 200),
            (#","latitude":46.5,"longitude":8.1"#, 200),
        ])
    func coordinates(members: String, status: Int) async throws {
        try await withRetreat { service in
            for (path, uid, others) in [
                ("places/lake", "dana", #""name":"Lake""#),
                ("locations/ann", "ann", #""shared":true,"timestamp":{".sv":"timestamp"}"#),
            ] {
                let attempt = Attempt(.put, "/\(path).json", "{\(others)\(members)}")
                let answer = try await send(attempt, as: uid, service)
                #expect(answer.status == status, "\(answer.text)")
                #expect((try await service.tree.get(try TreePath(path)) != nil) == (status == 200))
            }
        }
    }

    @Test("B10: A location is its owner's alone unless they share it, and again when they stop sharing")
    func locations() async throws {
        try await withRetreat { service in
            func share(_ uid: String, _ shared: Bool) async throws {
                let body = #"{"latitude":1,"longitude":2,"shared":\#(shared),"timestamp":{".sv":"timestamp"}}"#
                #expect(try await send(Attempt(.put, "/locations/\(uid).json", body), as: uid, service).status == 200)
            }
            try await share("ann", true)
            try await share("bob", false)
            let map = Attempt(.get, "/locations.json?orderBy=%22shared%22&equalTo=true")
            #expect(try await send(map, as: "eve", service).json["ann"]["longitude"] == .number(2))
            #expect(try await send(map, as: "eve", service).json["bob"] == .null)
            #expect(try await send(Attempt(.get, "/locations/ann.json"), as: "eve", service).status == 200)
            #expect(try await send(Attempt(.get, "/locations/bob.json"), as: "bob", service).status == 200)
            try await share("ann", false)
            let empty = try await send(map, as: "eve", service)
            #expect(empty.status == 200 && empty.json == .null, "\(empty.text)")
            for path in ["", "/ann", "/bob", "/bob/latitude"] {
                let answer = try await send(Attempt(.get, "/locations\(path).json"), as: "eve", service)
                #expect(answer.status == 401, "\(path)")
            }
            let hidden = Attempt(.get, "/locations.json?orderBy=%22shared%22&equalTo=false")
            #expect(try await send(hidden, as: "eve", service).status == 401)
            #expect(try await service.tcpClient.get("/locations.json?orderBy=%22shared%22&equalTo=true").status == 401)
        }
    }

    @Test("B6, B15: A chat is a list: a message gets an id from the service, or has one, and the service's time")
    func chat() async throws {
        try await withRetreat { service in
            func message(_ text: String, by uid: String = "ann") -> String {
                #"{"uid":"\#(uid)","name":"\#(uid)","text":"\#(text)","timestamp":{".sv":"timestamp"}}"#
            }
            let said = try await send(Attempt(.post, "/chat/lobby.json", message("Hello")), as: "ann", service)
            let key = try #require(said.json["name"].string)
            let own = Attempt(.put, "/chat/lobby/-Own.json", message("Ahoy", by: "bob"))
            #expect(try await send(own, as: "bob", service).status == 200)
            #expect(try await send(Attempt(.delete, "/chat/lobby/\(key).json"), as: "bob", service).status == 401)
            #expect(try await send(own, as: "bob", service).status == 401, "what was said is not changed")
            let last = Attempt(.get, "/chat/lobby.json?orderBy=%22timestamp%22&limitToLast=1")
            let page = try await send(last, as: "eve", service)
            #expect(
                page.json["-Own"]["text"].string == "Ahoy"
                    && page.json["-Own"]["timestamp"].int ?? 0 > 1_600_000_000_000)
            let time = page.json["-Own"]["timestamp"].int ?? 0
            let older = Attempt(
                .get, "/chat/lobby.json?orderBy=%22timestamp%22&endBefore=\(time),%22-Own%22&limitToLast=1")
            #expect(try await send(older, as: "eve", service).json[key]["text"].string == "Hello")
            #expect(try await send(Attempt(.delete, "/chat/lobby/\(key).json"), as: "ann", service).status == 200)
        }
    }

    @Test(
        "B9: Numbers, texts and truth values have their types: a phone's own time, or a message for others, is refused",
        arguments: [
            Attempt(
                .put, "/chat/lobby/m.json", #"{"uid":"ann","name":"ann","text":"x","timestamp":"2026-11-23 10:00"}"#),
            Attempt(.put, "/chat/lobby/m.json", #"{"uid":"ann","name":"ann","text":"x","timestamp":1795252185421}"#),
            Attempt(
                .put, "/chat/lobby/m.json", #"{"uid":"ann","name":"ann","text":7,"timestamp":{".sv":"timestamp"}}"#),
            Attempt(
                .put, "/chat/lobby/m.json", #"{"uid":"bob","name":"ann","text":"x","timestamp":{".sv":"timestamp"}}"#),
            Attempt(
                .put, "/chat/lobby/m.json", #"{"uid":"ann","name":"bob","text":"x","timestamp":{".sv":"timestamp"}}"#),
            Attempt(.put, "/events/e.json", #"{"title":"Tea","starts":"10:00","ends":2}"#),
            Attempt(.put, "/events/e.json", #"{"title":"Tea","starts":1.5,"ends":2}"#),
            Attempt(.put, "/events/e.json", #"{"title":"Tea","starts":2,"ends":1}"#),
            Attempt(.put, "/events/e.json", #"{"title":"Tea","starts":1,"ends":2,"place":"nowhere"}"#),
            Attempt(
                .put, "/locations/ann.json",
                #"{"latitude":1,"longitude":2,"shared":"yes","timestamp":{".sv":"timestamp"}}"#),
        ])
    func types(attempt: Attempt) async throws {
        try await withRetreat { service in
            let uid = attempt.path.hasPrefix("/events") ? "dana" : "ann"
            let answer = try await send(attempt, as: uid, service)
            #expect(answer.status == 401 && answer.json["error"].string == "Permission denied", "\(answer.text)")
            for path in ["chat", "events", "locations"] as [TreePath] {
                #expect(try await service.tree.get(path) == nil)
            }
        }
    }
}
