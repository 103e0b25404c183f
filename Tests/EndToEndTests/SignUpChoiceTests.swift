import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The choice of sign-up, from an operator's view", .timeLimit(.minutes(20)))
struct SignUpChoiceTests {
    @Test(
        "Without a setting, everybody may sign up as long as no other machine reaches the service",
        arguments: [
            ([], true), (["--public-url", "https://photos.example"], false), (["--behind-proxy", "192.0.2.1"], false),
            (["--public-url", "https://photos.example", "--sign-up", "email"], true), (["--sign-up", "none"], false),
        ])
    func signUp(arguments: [String], isOpen: Bool) async throws {
        try await withScratch { scratch in
            let place = try await TCPPlace(arguments, in: scratch)
            let answer = try await place.perform("signUp", #"{"email":"ann@example.com","password":"sesame!"}"#)
            #expect(answer.status == (isOpen ? 200 : 400), "\(answer)")
            #expect(isOpen || answer.text.contains("OPERATION_NOT_ALLOWED"), "\(answer)")
            // An explicit setting is not logged.
            let isNews = !isOpen && !arguments.contains("--sign-up")
            #expect(try place.log.contains("sign-up is by invitation only") == isNews)
            #expect(try await place.daemon.stop() == 0)
        }
    }

    @Test("Another choice of sign-up takes effect at a reload, at SIGHUP and by init, and open streams stay")
    func otherSignUp() async throws {
        try await withScratch { scratch in
            let place = try await TCPPlace([], in: scratch)
            let options = ["--storage", place.daemon.storage]
            func signUp(_ name: String) async throws -> Bool {
                try await place.perform("signUp", #"{"email":"\#(name)@example.com","password":"sesame!"}"#).status
                    == 200
            }
            func choose(_ ways: String) throws {
                try scratch.write(#"{"sign-up": "\#(ways)"}"#, to: "Storage/tintype.json")
            }
            let stream = try await WireConnection(port: place.port)
            try await stream.send(
                "GET /people/ann/full_name.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            #expect(await stream.read(through: "\n\n") != nil)
            #expect(try await signUp("ann"))

            try choose("invitation")
            let planned = try await run(["config", "reload", "--dry-run"] + options)
            #expect(planned.status == 0 && planned.output.contains("sign-up"), "\(planned)")
            #expect(try await signUp("bob"), "a dry run changes nothing")
            let closed = try await run(["config", "reload"] + options)
            #expect(closed.status == 0, "no restart is needed: \(closed)")
            #expect(try await !signUp("eve"))

            try choose("email")
            kill(place.daemon.processID, SIGHUP)
            try await eventually { try await signUp("dan") }
            let named = try await run(["init", "--sign-up", "none", "--name", "Rowing Club", "--yes"] + options)
            #expect(named.status == 0 && !named.output.contains("restart"), "\(named)")
            #expect(try await !signUp("eve"))
            // Without a choice, the service is as open as at its start: only this machine reaches it, until it restarts.
            try scratch.write(#"{"public-url": "https://photos.example"}"#, to: "Storage/tintype.json")
            #expect(try await run(["config", "reload"] + options).status == 3)
            #expect(try await signUp("eve"))

            let written = try await place.daemon.client.ask(
                .put, "/people/ann/full_name.json", body: .bytes(Array("\"Ann\"".utf8)))
            #expect(written.status == 200)
            #expect(await stream.read(through: "\"data\":\"Ann\"}\n\n") != nil)
            #expect(try await place.daemon.stop() == 0)
            await stream.close()
        }
    }
}
