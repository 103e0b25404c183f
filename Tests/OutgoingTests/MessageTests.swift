import Cryptography
import Foundation
import Synchronization
import TestSupport
import Testing
import TreeModel

@testable import Access
@testable import Accounts
@testable import Outgoing

/// A message as the service creates it.
private let message = AccountMessage(
    kind: "PASSWORD_RESET", email: "ann@example.com", code: "c0de",
    link: "https://photos.example.org/account?oobCode=c0de",
    expiresMilliseconds: 1_795_000_000_000,
    site: AccountMessage.Site(name: "Club \"7b\"", url: "https://photos.example.org/", language: "de"))

private let text = #"""
    {"code":"c0de","email":"ann@example.com","expiresMilliseconds":1795000000000,"kind":"PASSWORD_RESET",\#
    "link":"https://photos.example.org/account?oobCode=c0de",\#
    "site":{"language":"de","name":"Club \"7b\"","url":"https://photos.example.org/"}}
    """#

@Suite("Messages that are posted to the operator's address", .timeLimit(.minutes(20)))
struct AccountWebhookTests {
    /// A count that increases with each access.
    private final class Counter: Sendable {
        private let count: Mutex<Int64>

        init(_ start: Int64) { count = Mutex(start) }

        func next() -> Int64 {
            count.withLock { count in
                defer { count += 1 }
                return count
            }
        }
    }

    /// Delivers the message to a server, with short pauses; returns the error, or nil.
    private func fault(at url: String, tries: Int = 4) async throws -> String? {
        let time = Counter(1_795_000_000)
        let webhook = AccountWebhook(
            url: url, secret: Secret("0123456789abcdef"), client: OutgoingClient(),
            pauses: Array(repeating: .milliseconds(1), count: tries - 1),
            now: { time.next() })
        do {
            try await webhook.delivery(message)
            return nil
        } catch let error as DeliveryFailure {
            return error.description
        }
    }

    @Test("A message is posted as JSON until it is accepted, with a new signature each time")
    func delivered() async throws {
        try await LoopbackServer.run { server in
            let count = Counter(1)
            server.behave { _ in .init(count.next() < 3 ? 500 : 200) }
            let fault = try await fault(at: server.origin + "/hook")
            #expect(fault == nil)
            #expect(server.requests.count == 3)
            for (request, seconds) in zip(server.requests, 1_795_000_000...) {
                #expect(request.method == "POST" && request.path == "/hook")
                #expect(request.headers["content-type"] == "application/json")
                #expect(String(decoding: request.body, as: UTF8.self) == text)
                let code = Digest.hmacSHA256(Array("\(seconds).\(text)".utf8), key: Array("0123456789abcdef".utf8))
                let digits = code.map { String(format: "%02x", $0) }.joined()
                #expect(request.headers["tintype-signature"] == "t=\(seconds),v1=\(digits)")
            }
            // Python's hmac computes the same.
            let signature = "t=1795000000,v1=62b70c3945fdd0cb3c927f2a8012624437062524becb7c7692df26e3cbebe485"
            #expect(server.requests.first?.headers["tintype-signature"] == signature)
        }
    }

    static let answers: [(LoopbackServer.Response, Int, String?)] = [
        (.init(200), 1, nil), (.init(204), 1, nil), (.init(200, "x", isUnfinished: true), 1, nil),
        (.init(400), 1, "the webhook answers 400"), (.init(404), 1, "the webhook answers 404"),
        (.init(302, headers: [("Location", "/other")]), 1, "the webhook answers 302"),
        (.init(429), 4, "the webhook answers 429, after 4 tries"),
        (.init(503), 4, "the webhook answers 503, after 4 tries"),
    ]

    @Test("A permanent error is not tried again; a temporary one is, with an end", arguments: answers)
    func tries(answer: LoopbackServer.Response, count: Int, fault: String?) async throws {
        try await LoopbackServer.run(behaviour: { _ in answer }) { server in
            let told = try await self.fault(at: server.origin + "/hook")
            #expect(told == fault)
            #expect(server.requests.count == count)
        }
    }

    @Test("An unreachable address is tried again, and the error contains no part of the address")
    func down() async throws {
        let origin = try await LoopbackServer.run { $0.origin }
        #expect(try await fault(at: origin + "/secret", tries: 2) == "the webhook does not answer, after 2 tries")
    }
}

@Suite("Messages for the operator's program", .timeLimit(.minutes(20)))
struct AccountCommandTests {
    /// Creates a program of a few lines of shell.
    private func command(_ lines: String, in scratch: Scratch) throws -> AccountCommand {
        try scratch.write("#!/bin/sh\ncd '\(scratch.path)'\n\(lines)\n", to: "send")
        let path = scratch.path + "/send"
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return try #require(AccountCommand(path: path))
    }

    @Test("The program has the message on its standard input, and no other open file of the service")
    func delivered() async throws {
        try await withScratch { scratch in
            try await command("cat > message; ls /proc/self/fd > open; echo dropped", in: scratch).delivery(message)
            #expect(try scratch.read("message") == text)
            // `ls` has the listed folder open.
            #expect(try scratch.read("open").split(separator: "\n") == ["0", "1", "2", "3"])
        }
    }

    @Test("A program that fails reports its status", arguments: [("exit 3", 3), ("kill -9 $$", 137), ("cat >&-", 1)])
    func failed(lines: String, status: Int) async throws {
        try await withScratch { scratch in
            let command = try command(lines, in: scratch)
            let error = await #expect(throws: DeliveryFailure.self) { try await command.delivery(message) }
            #expect(error?.description == "\(scratch.path)/send ended with status \(status)")
        }
    }

    @Test("A file that is not a program is refused at once; a program that cannot be started fails at its delivery")
    func noProgram() async throws {
        try await withScratch { scratch in
            #expect(AccountCommand(path: scratch.path + "/none") == nil)
            let command = try command("", in: scratch)
            try scratch.write("\u{7F}ELF", to: "send")
            let error = await #expect(throws: DeliveryFailure.self) { try await command.delivery(message) }
            #expect(error?.description.contains("cannot be run") == true)
        }
    }

    @Test("A program that takes too long is ended, with its child processes")
    func ended() async throws {
        try await withScratch { scratch in
            let command = try command("sleep 1000 & echo $! > child; echo $$ > own; wait", in: scratch)
            let delivery = Task { try await command.delivery(message) }
            try await eventually { try scratch.exists("own") && scratch.read("own").hasSuffix("\n") }
            delivery.cancel()
            await #expect(throws: DeliveryFailure.self) { try await delivery.value }
            for name in ["own", "child"] {
                let id = try scratch.read(name).trimmingCharacters(in: .newlines)
                try await eventually {
                    let state = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
                    return state.map { $0.contains(") Z ") } ?? true
                }
            }
        }
    }
}
