import DaemonSupport
import Foundation
import Testing
import TintypeModel
import TintypeTestSupport

@testable import TintypeClient

@Suite("The stand-ins for the service and the device")
struct StandInTests {
    private func request(_ path: String, _ method: String = "GET") throws -> TransportRequest {
        TransportRequest(method, try #require(URL(string: "https://photos.example.org/v1/\(path)")))
    }

    @Test("A stub answers with the documents of a folder, and of memory")
    func documents() async throws {
        try await withFolder { folder in
            let posts = folder.appendingPathComponent("posts")
            try FileManager.default.createDirectory(at: posts, withIntermediateDirectories: false)
            try Data(#"{"id":"-P6x"}"#.utf8).write(to: posts.appendingPathComponent("-P6x.json"))
            try Data("no JSON".utf8).write(to: posts.appendingPathComponent("bad.json"))
            let stub = StubTransport(folder: folder)
            #expect(try await stub.response(to: request("posts/-P6x?x=1")).body == Data(#"{"id":"-P6x"}"#.utf8))
            #expect(try await stub.response(to: request("posts/-P6x", "DELETE")).status == 404)
            stub.set(.object(["ok": .bool(true)]), at: "posts/-P6x/DELETE.json")
            #expect(try await stub.response(to: request("posts/-P6x", "DELETE")).status == 200)
            let missing = try await stub.response(to: request("people/ann"))
            #expect(Problem(status: missing.status, body: missing.body).code == .notFound)
            #expect(Problem(status: missing.status, body: missing.body).message.contains("people/ann.json"))
            #expect(try await stub.response(to: request("..%2F..%2Fetc")).status == 404)
            await #expect(throws: TransportError.self) { try await stub.response(to: request("posts/bad")) }
            #expect(stub.requests.count == 6)
        }
    }

    @Test("A stub fails once, or always, as it shall")
    func failures() async throws {
        let stub = StubTransport(["posts": .array([])])
        stub.fail("posts", with: .transport(TransportError(.offline)))
        await #expect(throws: TransportError(.offline)) { try await stub.response(to: request("posts")) }
        #expect(try await stub.response(to: request("posts")).status == 200)
        stub.fail(
            "posts", with: .problem(Problem(.tooManyRequests, status: 429, message: "x", retryAfter: .seconds(7))),
            .always)
        for _ in 0..<2 {
            let answer = try await stub.response(to: request("posts"))
            let problem = Problem(status: answer.status, body: answer.body, retryAfter: answer.headers["Retry-After"])
            #expect(problem.code == .tooManyRequests && problem.retryAfter == .seconds(7))
        }
        stub.succeed("posts")
        #expect(try await stub.response(to: request("posts")).status == 200)
    }

    @Test("A stub's streams deliver the events that a test sends")
    func streams() async throws {
        let stub = StubTransport([:])
        let stream = try await stub.stream(for: request("posts/events"))
        try stub.send("put", id: "7", data: .object(["a": .integer(1)]), to: "posts/events")
        stub.endStreams(of: "posts/events", throwing: TransportError(.interrupted))
        var iterator = ServerSentEvents(stream.chunks).makeAsyncIterator()
        #expect(try await iterator.next() == ServerSentEvent(name: "put", data: #"{"a":1}"#, id: "7"))
        await #expect(throws: TransportError.self) { _ = try await iterator.next() }
    }

    @Test("A recording of the service is played back, without its secrets")
    func recording() async throws {
        try await withFolder { folder in
            try await ServiceProcess.run { service in
                try await service.addUser("ann")
                let signIn = service.address.appendingPathComponent(
                    "identitytoolkit.googleapis.com/v1/accounts:signInWithPassword")
                let body: JSONValue = .object([
                    "email": .string("ann@example.org"), "password": .string(ServiceProcess.password(of: "ann")),
                ])
                let requests = [
                    TransportRequest("POST", signIn, body: .data(try JSONEncoder().encode(body))),
                    TransportRequest("GET", service.address.appendingPathComponent("v1/people/ann")),
                    TransportRequest(
                        "GET", service.address.appendingPathComponent("v1/posts/nope"),
                        headers: ["Authorization": "Bearer hush"]),
                ]
                var answers: [TransportResponse] = []
                try await URLSessionTransport.run { transport in
                    let recording = try RecordingTransport(transport, folder: folder)
                    for request in requests { answers.append(try await recording.response(to: request)) }
                }
                let replay = try ReplayTransport(folder: folder)
                for (request, answer) in zip(requests, answers) {
                    let played = try await replay.response(to: request)
                    #expect(played.status == answer.status)
                    if request.method == "GET" {
                        let decoder = JSONDecoder()
                        let expected = try decoder.decode(JSONValue.self, from: answer.body)
                        #expect(try decoder.decode(JSONValue.self, from: played.body) == expected)
                    }
                }
                let token = try JSONDecoder().decode(JSONValue.self, from: answers[0].body)["idToken"]?.string
                let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
                #expect(files.count == 3)
                for secret in [ServiceProcess.password(of: "ann"), "hush", try #require(token)] {
                    #expect(!text.contains(secret))
                }
                let other = TransportRequest("GET", service.address.appendingPathComponent("v1/other"))
                #expect(try await replay.response(to: other).status == 404)
            }
        }
    }

    @Test("A recorded stream and a recorded error are played back")
    func recordedStream() async throws {
        try await withFolder { folder in
            let stub = StubTransport([:])
            let recording = try RecordingTransport(stub, folder: folder)
            let stream = try await recording.stream(for: request("posts/events?access_token=hush"))
            try stub.send("put", data: .string("é"), to: "posts/events")
            stub.endStreams(of: "posts/events", throwing: TransportError(.interrupted, "cut"))
            await #expect(throws: TransportError.self) { for try await _ in stream.chunks {} }
            stub.fail("posts", with: .transport(TransportError(.timedOut)))
            await #expect(throws: TransportError.self) { try await recording.response(to: request("posts")) }

            let replay = try ReplayTransport(folder: folder)
            let played = try await replay.stream(for: request("posts/events?access_token=other"))
            var iterator = ServerSentEvents(played.chunks).makeAsyncIterator()
            #expect(try await iterator.next()?.data == "\"é\"")
            await #expect(throws: TransportError(.interrupted, "cut")) { _ = try await iterator.next() }
            await #expect(throws: TransportError(.timedOut)) { try await replay.response(to: request("posts")) }
        }
    }

    @Test("A manual clock wakes its sleepers in the order of their times")
    func clock() async throws {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1000))
        let (woken, wake) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [30, 10, 20] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    wake.yield(seconds)
                }
            }
            await clock.waitForSleepers(3)
            clock.set(Date(timeIntervalSince1970: 5000))
            #expect(clock.sleeperCount == 3)
            await clock.advance(by: .seconds(5))
            #expect(clock.sleeperCount == 3)
            await clock.advance(by: .seconds(5))
            #expect(clock.sleeperCount == 2)
            #expect(clock.now == Date(timeIntervalSince1970: 5010))
            await clock.advance(by: .seconds(20))
            try await group.waitForAll()
        }
        wake.finish()
        var order: [Int] = []
        for await seconds in woken { order.append(seconds) }
        #expect(order.first == 10 && order.sorted() == [10, 20, 30])
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        try await clock.sleep(for: .zero)
    }

    @Test("A manual network reports its state and each change")
    func reachability() async {
        let network = ManualReachability(isReachable: false)
        var changes = network.changes().makeAsyncIterator()
        #expect(await changes.next() == false)
        network.set(isReachable: false)
        network.set(isReachable: true)
        #expect(await changes.next() == true)
        #expect(network.isReachable)
        var others = network.changes().makeAsyncIterator()
        #expect(await others.next() == true)
    }
}
