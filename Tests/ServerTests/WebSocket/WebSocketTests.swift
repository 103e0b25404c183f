import API
import Access
import Client
import Database
import TestSupport
import Testing
import Tree

@Suite("The database by WebSocket", .timeLimit(.minutes(20)))
struct WebSocketTests {
    /// A conversation: the client's requests, and the messages up to the answer; `*` matches any text.
    struct Talk: Sendable {
        let action: String
        let body: String
        let heard: [String]

        init(_ action: String, _ body: String, _ heard: String...) {
            (self.action, self.body, self.heard) = (action, body, heard)
        }

        static let done = #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":""*}}}"#
        static let listening = #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":{}}}}"#

        static func push(_ action: String, _ body: String) -> String {
            #"{"t":"d","d":{"a":"\#(action)","b":\#(body)}}"#
        }

        static func refused(_ status: String, _ text: String = "*") -> String {
            #"{"t":"d","d":{"r":*,"b":{"s":"\#(status)","d":"\#(text)"}}}"#
        }
    }

    private func hold(_ talks: [Talk], with client: WireClient) async throws {
        for talk in talks {
            let heard = try await client.answer(talk.action, talk.body)
            let isRight = heard.count == talk.heard.count && zip(heard, talk.heard).allSatisfy { $0.matches($1) }
            #expect(isRight, "\(talk.action) \(talk.body): \(heard), not \(talk.heard)")
        }
    }

    static let talks: [(name: String, talks: [Talk])] = [
        (
            "data come before the answer of a listener, a client's own events before that of its write",
            [
                Talk("q", #"{"p":"/a","h":""}"#, Talk.push("d", #"{"p":"a","d":null}"#), Talk.listening),
                Talk("p", #"{"p":"/a/b","d":1}"#, Talk.push("d", #"{"p":"a/b","d":1}"#), Talk.done),
                Talk("p", #"{"p":"/a/b","d":1}"#, Talk.done),
                Talk(
                    "p", #"{"p":"/","d":{"a":{"b":[7,8]},"z":1}}"#,
                    Talk.push("d", #"{"p":"a","d":{"b":{"0":7,"1":8}}}"#), Talk.done),
                Talk("p", #"{"p":"elsewhere","d":1}"#, Talk.done),
                Talk("n", #"{"p":"/a"}"#, Talk.done),
                Talk("p", #"{"p":"/a/b","d":2}"#, Talk.done),
            ]
        ),
        (
            "an update of several places is one event at the deepest node that they have in common",
            [
                Talk("q", #"{"p":"/","h":""}"#, Talk.push("d", #"{"p":"","d":null}"#), Talk.listening),
                Talk(
                    "m", #"{"p":"/","d":{"/rooms/-P2":{"t":1},"guests/u1/rooms/-P2":true}}"#,
                    Talk.push("m", #"{"p":"","d":{"guests/u1/rooms/-P2":true,"rooms/-P2":{"t":1}}}"#), Talk.done),
                Talk(
                    "m", #"{"p":"/rooms/-P2","d":{"t":null,"x":2}}"#,
                    Talk.push("m", #"{"p":"rooms/-P2","d":{"t":null,"x":2}}"#), Talk.done),
                Talk("m", #"{"p":"/a","d":{"b":1,"b/c":2}}"#, Talk.refused("failure")),
                Talk("m", #"{"p":"/a","d":7}"#, Talk.refused("failure")),
            ]
        ),
        (
            "a query's events have its tag, and a window without an index works, with a warning",
            [
                Talk("p", #"{"p":"/s","d":{"a":{"n":3},"b":{"n":1},"c":{"n":2}}}"#, Talk.done),
                Talk(
                    "q", #"{"p":"/s","q":{"i":"n","l":2,"vf":"l"},"t":4,"h":""}"#,
                    Talk.push("d", #"{"p":"s","d":{"b":{"n":1},"c":{"n":2}},"t":4}"#),
                    #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#),
                Talk(
                    "p", #"{"p":"/s/d","d":{"n":0}}"#, Talk.push("m", #"{"p":"s","d":{"c":null,"d":{"n":0}},"t":4}"#),
                    Talk.done),
                Talk("p", #"{"p":"/s/b/x","d":5}"#, Talk.push("d", #"{"p":"s/b","d":{"n":1,"x":5},"t":4}"#), Talk.done),
                Talk("p", #"{"p":"/s/a","d":null}"#, Talk.done),
                Talk(
                    "q", #"{"p":"/s","q":{"i":".key","sp":"c","ep":"d"},"t":5,"h":""}"#,
                    Talk.push("d", #"{"p":"s","d":{"c":{"n":2},"d":{"n":0}},"t":5}"#), Talk.listening),
                Talk("n", #"{"p":"/s","q":{"i":"n","l":2,"vf":"l"},"t":4}"#, Talk.done),
                Talk("p", #"{"p":"/s/d","d":null}"#, Talk.push("d", #"{"p":"s/d","d":null,"t":5}"#), Talk.done),
                Talk(
                    "g", #"{"p":"/s","q":{"i":"n","sp":2}}"#, #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":{"c":{"n":2}}}}}"#
                ),
            ]
        ),
        (
            "a transaction that was decided by something else writes nothing, and hears what is there before it is told so",
            [
                Talk("p", #"{"p":"/n","d":4,"h":""}"#, Talk.done),
                Talk("q", #"{"p":"/n","h":""}"#, Talk.push("d", #"{"p":"n","d":4}"#), Talk.listening),
                Talk(
                    "p", #"{"p":"/n","d":5,"h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#, Talk.push("d", #"{"p":"n","d":5}"#),
                    Talk.done),
                Talk("p", #"{"p":"/n","d":6,"h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#, Talk.refused("datastale")),
                Talk("p", #"{"p":"/n","d":6,"h":""}"#, Talk.refused("datastale")),
            ]
        ),
        (
            "whoever has what is there already is not sent it again",
            [
                Talk("p", #"{"p":"/n","d":4}"#, Talk.done),
                Talk("q", #"{"p":"/n","h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#, Talk.listening),
                Talk("p", #"{"p":"/n","d":5}"#, Talk.push("d", #"{"p":"n","d":5}"#), Talk.done),
                Talk(
                    "q", #"{"p":"/n","h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#, Talk.push("d", #"{"p":"n","d":5}"#),
                    Talk.listening),
                Talk(
                    "q", #"{"p":"/n","q":{"i":".key","l":1},"t":1,"h":""}"#,
                    Talk.push("d", #"{"p":"n","d":null,"t":1}"#), Talk.listening),
            ]
        ),
        (
            "priorities are part of what is sent",
            [
                Talk("q", #"{"p":"/p","h":""}"#, Talk.push("d", #"{"p":"p","d":null}"#), Talk.listening),
                Talk(
                    "p", #"{"p":"/p/a","d":{".value":1,".priority":2}}"#,
                    Talk.push("d", #"{"p":"p/a","d":{".value":1,".priority":2}}"#), Talk.done),
                Talk(
                    "p", #"{"p":"/p/a/.priority","d":"x"}"#,
                    Talk.push("d", #"{"p":"p/a","d":{".value":1,".priority":"x"}}"#), Talk.done),
                Talk(
                    "g", #"{"p":"/p","q":{}}"#,
                    #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":{"a":{".value":1,".priority":"x"}}}}}"#),
                Talk("g", #"{"p":"/p/a/.priority"}"#, #"{"t":"d","d":{"r":*,"b":{"s":"ok","d":"x"}}}"#),
            ]
        ),
        (
            "what is asked wrongly is refused, and the session goes on",
            [
                Talk("zzz", "{}", Talk.refused("failure", "zzz is no action that is known here")),
                Talk("q", #"{"p":"/a.b","h":""}"#, Talk.refused("failure")),
                Talk("q", #"{"p":"/a","q":{"i":"x","l":0},"t":1}"#, Talk.refused("failure")),
                Talk("q", #"{"p":"/a","q":{"sp":{"a":1}},"t":1}"#, Talk.refused("failure")),
                Talk("q", #"{"h":""}"#, Talk.refused("failure")),
                Talk("p", #"{"p":"/a"}"#, Talk.refused("failure")),
                Talk("p", #"{"p":"/a","d":{"x.y":1}}"#, Talk.refused("failure")),
                Talk("p", #"{"p":"/a","d":{".sv":"nothing"}}"#, Talk.refused("failure")),
                Talk("p", #"{"p":"/a","d":tru}"#, Talk.refused("failure")),
                Talk("auth", #"{"cred":"nonsense"}"#, Talk.refused("invalid_token")),
                Talk("auth", #"{}"#, Talk.refused("invalid_token")),
                Talk("s", #"{"c":{"sdk.js.12-17-0":1}}"#, Talk.done),
                Talk("unappeck", "{}", Talk.done),
                Talk("p", #"{"p":"/a","d":1}"#, Talk.done),
            ]
        ),
    ]

    @Test("S1: Conversations", arguments: talks.map(\.name))
    func conversation(name: String) async throws {
        let talks = try #require(Self.talks.first { $0.name == name }).talks
        try await withService { service in
            let client = try await WireClient(service)
            try await hold(talks, with: client)
            await client.close()
        }
    }

    @Test("The first message is the handshake, with the requested host; a ping is answered; keep-alives are not")
    func greeting() async throws {
        try await withService { service in
            let client = try await WireClient(service, "&ns=tintype&p=app")
            #expect(client.hello.matches(#"{"t":"c","d":{"t":"h","d":{"ts":*,"v":"5","h":"localhost","s":"*"}}}"#))
            try await client.say("0")
            try await client.say(#"{"t":"c","d":{"t":"p","d":{}}}"#)
            #expect(try await client.hear() == #"{"t":"c","d":{"t":"o","d":{}}}"#)
            await client.close()
        }
    }

    @Test("S2: Requests take effect in their order without waiting for answers, the smallest beside the largest")
    func pipelined() async throws {
        try await withService { service in
            let client = try await WireClient(service)
            try await client.ask("q", #"{"p":"/n","h":""}"#)
            let large = String(repeating: "é😀x", count: 200_000)
            for number in 0..<100 {
                if number % 25 == 7 { try await client.ask("p", #"{"p":"/large","d":"\#(large)\#(number)"}"#) }
                try await client.ask("p", #"{"p":"/n/v","d":\#(number)}"#)
                if number % 10 == 9 { try await client.ask("g", #"{"p":"/n/v","q":{}}"#) }
            }
            let last = try await client.ask("g", #"{"p":"/large"}"#)
            var heard = try await client.heard(untilAnswerTo: last)
            // A read is answered when it is done.
            while heard.compactMap(Self.value).count(where: { Int($0) != nil }) < 10, let more = try await client.hear()
            {
                heard.append(more)
            }
            let pushes = heard.filter { $0.contains(#""a":"d""#) && $0.contains(#""p":"n/v""#) }
            #expect(pushes == (0..<100).map { Talk.push("d", #"{"p":"n/v","d":\#($0)}"#) })
            let values = heard.compactMap(Self.value)
            #expect(values.compactMap { Int($0) }.sorted() == (0..<10).map { 10 * $0 + 9 })
            #expect(heard.contains { $0.hasSuffix("é😀x82\"}}}") })
            await client.close()
        }
    }

    /// Returns the value in an answer.
    private static func value(in message: String) -> String? {
        message.firstRange(of: #"{"s":"ok","d":"#).map { message[$0.upperBound...].prefix { $0 != "}" }.description }
    }
}
