import API
import Database
import NIOCore
import TestSupport
import Testing
import Tree

@testable import DatabaseHTTP

@Suite("A session of the wire protocol, without a connection", .timeLimit(.minutes(10)))
struct WireSessionTests {
    /// A session, and its effects, in words.
    private struct Run {
        var session = RealtimeSession()
        var performed: [RealtimeSession.Request] = []
        var said: [String] = []
        private var number = 0

        /// Runs the body and returns its effects.
        mutating func take(_ body: (inout RealtimeSession, inout [RealtimeSession.Effect]) -> Void) -> [String] {
            var effects: [RealtimeSession.Effect] = []
            body(&session, &effects)
            return effects.map { effect in
                switch effect {
                case .send(.message(let text)), .send(.spooled(.memory(let text))):
                    String(decoding: text, as: UTF8.self)
                case .send(.frames(let frames)): "frames \(String(buffer: frames))"
                case .send(.spooled(.file)): "file"
                case .perform(let request):
                    Self.note(request, in: &performed)
                case .stopListening(let slot): "stop \(slot)"
                case .close(let reason): "close \(reason.rawValue)"
                }
            }
        }

        private static func note(
            _ request: RealtimeSession.Request, in performed: inout [RealtimeSession.Request]
        ) -> String {
            performed.append(request)
            return "perform \(request.number ?? 0)"
        }

        mutating func ask(_ action: String, _ body: String) -> [String] {
            number += 1
            let text = #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
            return take { session, effects in session.receive(.text(Array(text.utf8)), &effects) }
        }

        mutating func finish(_ number: Int) -> [String] {
            guard let request = performed.first(where: { $0.number == number }) else { return ["not performed"] }
            return take { session, effects in session.finished(request, "\"\"", &effects) }
        }

        mutating func begin(_ number: Int, _ value: String?, at token: UInt64) -> [String] {
            guard let request = performed.first(where: { $0.number == number }) else { return ["not performed"] }
            let start = ListenStart(
                value: value.map { .memory(Array($0.utf8)) }, token: SyncToken(sequence: token), isIndexed: true)
            return take { session, effects in session.began(request, start, &effects) }
        }

        mutating func tell(_ slot: Int, _ text: String, at token: UInt64) -> [String] {
            take { session, effects in
                session.tell(slot, ByteBuffer(string: text), token: SyncToken(sequence: token), &effects)
            }
        }
    }

    private static func ok(_ number: Int, _ data: String = "\"\"") -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"ok","d":\#(data)}}}"#
    }

    @Test(
        "Writes are performed together, and so are reads; each kind waits for the other, and other changes are alone"
    )
    func order() {
        var run = Run()
        #expect(run.ask("p", #"{"p":"/a","d":1}"#) == ["perform 1"])
        #expect(run.ask("m", #"{"p":"/a","d":{}}"#) == ["perform 2"])
        #expect(run.ask("g", #"{"p":"/a"}"#) == [])
        #expect(run.ask("q", #"{"p":"/a","q":{"l":1},"t":1,"h":""}"#) == [])
        #expect(run.ask("auth", #"{"cred":"x"}"#) == [])
        #expect(run.ask("p", #"{"p":"/a","d":2}"#) == [])
        #expect(run.finish(2) == [], "writes are answered in their order")
        #expect(run.finish(1) == [Self.ok(1), Self.ok(2), "perform 3", "perform 4"])
        #expect(run.finish(3) == [Self.ok(3)])
        #expect(run.begin(4, "start", at: 5) == ["start", Self.ok(4, "{}"), "perform 5"])
        #expect(run.finish(5) == [Self.ok(5), "perform 6"])
        #expect(run.finish(6) == [Self.ok(6)])
        #expect(!run.session.isBusy)
    }

    @Test("A large write is performed alone")
    func large() {
        var run = Run()
        _ = run.ask("p", #"{"p":"/a","d":1}"#)
        #expect(run.ask("p", #"{"p":"/a","d":"\#(String(repeating: "x", count: 70_000))"}"#) == [])
        #expect(run.ask("p", #"{"p":"/a","d":2}"#) == [])
        #expect(run.finish(1) == [Self.ok(1), "perform 2"])
        #expect(run.finish(2) == [Self.ok(2), "perform 3"])
    }

    @Test("Events wait for the first value, and those that it already contains are left out")
    func events() {
        var run = Run()
        #expect(run.ask("q", #"{"p":"/a","h":""}"#) == ["perform 1"])
        #expect(run.tell(1, "old", at: 4) == [])
        #expect(run.tell(1, "new", at: 6) == [])
        #expect(run.begin(1, "start", at: 5) == ["start", Self.ok(1, "{}"), "frames new"])
        #expect(run.tell(1, "again", at: 6) == [])
        #expect(run.tell(1, "next", at: 7) == ["frames next"])
        #expect(run.tell(9, "nobody", at: 8) == [])
    }

    @Test("Events of paths above and below wait for the first value, which never reverts a value")
    func overlapping() {
        var run = Run()
        for (number, path) in ["", "a/b/c", "b"].enumerated() {
            #expect(run.ask("q", #"{"p":"/\#(path)","h":""}"#) == ["perform \(number + 1)"])
            _ = run.begin(number + 1, "start", at: 1)
        }
        #expect(run.ask("q", #"{"p":"/a/b","h":""}"#) == ["perform 4"])
        #expect(run.tell(1, "all 2", at: 2) == [])
        #expect(run.tell(1, "all 5", at: 5) == [])
        #expect(run.tell(4, "own 2", at: 2) == [])
        #expect(run.tell(4, "own 5", at: 5) == [])
        let begun = run.begin(4, "start", at: 3)
        #expect(begun == ["frames all 2", "start", Self.ok(4, "{}"), "frames all 5"])
        // The change of a path above is not sent again.
        #expect(run.tell(1, "all 6", at: 6) == ["frames all 6"])
        #expect(run.tell(2, "below 6", at: 6) == [])
        #expect(run.ask("n", #"{"p":"/"}"#) == ["stop 1", Self.ok(5)])
        #expect(run.tell(4, "own 7", at: 7) == ["frames own 7"])
        #expect(run.tell(3, "other 7", at: 7) == ["frames other 7"])
    }

    @Test("Events that wait for the first value of a path above are not sent again after it")
    func overlappingAbove() {
        var run = Run()
        _ = run.ask("q", #"{"p":"/a","h":""}"#)
        _ = run.begin(1, "start", at: 1)
        _ = run.ask("q", #"{"p":"/","h":""}"#)
        for token in [2, 4, 5] as [UInt64] {
            #expect(run.tell(1, "own \(token)", at: token) == [])
            #expect(run.tell(2, "all \(token)", at: token) == [])
        }
        let begun = run.begin(2, "start", at: 3)
        #expect(begun == ["frames own 2", "start", Self.ok(2, "{}"), "frames all 4", "frames all 5"])
    }

    @Test("Events that a listener left to another above it are kept when that one ends", arguments: ["a/b", "b"])
    func covered(below: String) {
        var run = Run()
        for (number, path) in ["", below].enumerated() {
            _ = run.ask("q", #"{"p":"/\#(path)","h":""}"#)
            _ = run.begin(number + 1, "start", at: 1)
        }
        _ = run.ask("q", #"{"p":"/a/b/c","h":""}"#)
        #expect(run.tell(1, "above 3", at: 3) == [])
        #expect(run.tell(2, "below 3", at: 3) == [])
        _ = run.take { session, effects in session.revoke(1, &effects) }
        // Later events do not overtake held ones.
        #expect(run.tell(2, "below 4", at: 4) == [])
        #expect(
            run.begin(3, "start", at: 2) == ["start", Self.ok(3, "{}"), "frames below 3", "frames below 4"])
    }

    @Test("The events of a path are not sent again for one below it when the listener above has ended meanwhile")
    func endedAbove() {
        var run = Run()
        for (number, path) in ["a", "a/b", "c"].enumerated() {
            _ = run.ask("q", #"{"p":"/\#(path)","h":""}"#)
            _ = run.begin(number + 1, "start", at: 1)
        }
        #expect(run.tell(1, "above 2", at: 2) == ["frames above 2"])
        _ = run.ask("n", #"{"p":"/a"}"#)
        #expect(run.tell(2, "below 2", at: 2) == [])
        #expect(run.tell(2, "below 3", at: 3) == ["frames below 3"])
        #expect(run.tell(3, "beside 2", at: 2) == ["frames beside 2"])
    }

    @Test("The held events of a listener are dropped when it ends before its first value", arguments: [false, true])
    func dropped(isRefused: Bool) {
        var run = Run()
        _ = run.ask("q", #"{"p":"/a","h":""}"#)
        _ = run.tell(1, "news", at: 1)
        #expect(run.session.heldBytes == 4)
        let request = run.performed[0]
        let effects = run.take { session, effects in
            if isRefused {
                session.refused(request, ClientRefusal(.permissionDenied, "Permission denied"), &effects)
            } else {
                session.revoke(1, &effects)
            }
        }
        // The store's listener is stopped.
        #expect(effects.first == "stop 1")
        #expect(run.session.heldBytes == 0)
    }

    @Test("S2: Random sessions keep the rules of the protocol")
    func property() {
        let run = RandomRun(rounds: 5000)
        var generator = SeededGenerator(seed: run.seed)
        for _ in 0..<max(1, run.rounds / 100) {
            let decisions = (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let complaint = SessionModel.complaint(about: decisions) else { continue }
            Issue.record("TINTYPE_SEED=\(run.seed): \(complaint)")
            return
        }
    }

    @Test("A listener with the same path and tag as another replaces it")
    func again() {
        var run = Run()
        _ = run.ask("q", #"{"p":"/a","q":{"l":1},"t":3,"h":""}"#)
        #expect(run.ask("q", #"{"p":"a/","q":{"l":2},"t":3,"h":""}"#) == ["stop 1", "perform 2"])
        #expect(run.begin(1, "start", at: 1) == [Self.ok(1, "{}")])
        #expect(run.begin(2, "start", at: 1) == ["start", Self.ok(2, "{}")])
        #expect(run.ask("n", #"{"p":"/a","t":3}"#) == ["stop 2", Self.ok(3)])
        #expect(run.ask("n", #"{"p":"/a","t":3}"#) == [Self.ok(4)])
    }

    @Test("A listener that is not allowed any more is ended, with its query in the requested form")
    func revoked() {
        var run = Run()
        _ = run.ask("q", #"{"p":"/a","q":{"i":"x", "l":1},"t":3,"h":""}"#)
        _ = run.begin(1, "start", at: 1)
        let effects = run.take { session, effects in session.revoke(1, &effects) }
        #expect(effects == ["stop 1", #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"i":"x", "l":1}]}}}"#])
    }

    @Test("Reading stops while too much waits", arguments: [(200, 10), (4, 400_000)])
    func pressure(count: Int, size: Int) {
        var run = Run()
        _ = run.ask("auth", #"{"cred":"x"}"#)
        #expect(run.session.isReady)
        let text = String(repeating: "x", count: size)
        for _ in 0..<count { _ = run.ask("p", #"{"p":"/a","d":"\#(text)"}"#) }
        #expect(!run.session.isReady)
        var next = 1
        while run.session.isBusy {
            _ = run.finish(next)
            next += 1
        }
        #expect(run.session.isReady && next == count + 2)
    }

    @Test("A listener with a slow first value cannot hold all events that happen meanwhile")
    func slow() {
        var run = Run()
        _ = run.ask("q", #"{"p":"/a","h":""}"#)
        let text = String(repeating: "x", count: 1_000_000)
        let effects = (1...5).flatMap { run.tell(1, text, at: UInt64($0)) }
        #expect(effects == ["close 1008"])
    }

    @Test(
        "A malformed message ends the session",
        arguments: [
            "", "x", "[]", "{", #"{"t":"d"}"#, #"{"t":"x","d":{}}"#, #"{"t":"d","d":{"r":"1","a":"q","b":{}}}"#,
        ].map { Array($0.utf8) } + [[0x7B, 0xFF]])
    func malformed(text: [UInt8]) {
        var run = Run()
        let effects = run.take { session, effects in session.receive(.text(text), &effects) }
        let code = text.last == 0xFF ? 1007 : 1002
        #expect(effects == [#"{"t":"c","d":{"t":"e","d":"the message cannot be read"}}"#, "close \(code)"])
    }

    @Test(
        "A write over the limit is refused where its number is readable, so that no client sends it for ever",
        arguments: [
            (#"{"t":"d","d":{"r":5,"a":"p","b":{"p":"/a","d":{"x":"#, #""}}}}"#, 5),
            (#"{"d":{"a":"p","b":{"p":"/a","d":{"r":9,"x":"#, #""}},"r":5},"t":"d"}"#, 5),
            (#"{"t":"d","d":{"a":"p","r":0,"b":{"d":{"r":9,"x":"#, #"","p":"/a"}}}"#, 0),
            (#"{"t":"d","d":{"b":{"d":{"r":9,"x":"#, #""}},"r":123456789,"a":"p"}}"#, 123_456_789),
            (#"{"t": "d", "d": {"r": 5, "a": "p", "b": {"p": "/a", "d": {"x": "#, #""}}}}"#, 5),
            (#"{"d": {"a": "p", "b": {"d": {"r": 9, "x": "#, #""}}, "r" : 5 }, "t": "d" }"#, 5),
            (#"{"t":"d","d":{"a":"p","b":{"d":{"r":9,"x":"#, #"","r":9}}}}"#, nil), ("xxx", "xxx", nil),
            (#"{"t":"d","d":{"r":99999999999999999999,"b":{"#, "}}}", nil),
        ] as [(String, String, Int?)])
    func tooLong(head: String, tail: String, number: Int?) {
        var run = Run()
        let text = head + String(repeating: "x", count: 512 - head.utf8.count - tail.utf8.count) + tail
        let effects = run.take { session, effects in session.receive(.tooLong(edges: Array(text.utf8)), &effects) }
        guard let number else { return #expect(effects.last == "close 1009") }
        #expect(effects.count == 1)
        #expect(effects.first?.contains(#""r":\#(number),"b":{"s":"write_too_big""#) == true)
    }

    @Test("The earlier session of a client ends before any other work")
    func previous() {
        var run = Run()
        let begun = run.take { session, effects in session.begin(after: "old", &effects) }
        #expect(begun == ["perform 0"])
        #expect(run.ask("p", #"{"p":"/a","d":1}"#) == [])
        let first = run.performed[0]
        #expect(run.take { session, effects in session.finished(first, "\"\"", &effects) } == ["perform 1"])
    }
}
