import CEpoll
import Glibc

/// Measures updates of three leaves in one multi-path update, over HTTP on the Unix socket, durable when answered.
func measureUpdates(_ service: Service, seconds: Double) throws {
    for clients in [1, 64] {
        let load = try HTTPLoad(connections: clients, to: service.socketPath, seconds: seconds) { number in
            let person = "person\(number % 1000)"
            let id = "-P\(100_000_000_000_000_000 + number)"
            return HTTP.request(
                "PATCH", "/.json?print=silent",
                #"{"feed/\#(person)/\#(id)":true,"people/\#(person)/posts/\#(id)":true,"likes/\#(id)/\#(person)":1795261728990}"#
            )
        }
        line("\(clients) clients", load.perSecond, "p50 \(ms(load.percentile(50))), p99 \(ms(load.percentile(99)))")
    }
}

/// Measures pages of the last twenty posts, in trees of several sizes.
func measurePages(_ service: Service, seconds: Double, sizes: [Int]) throws {
    let connection = try Connection(unix: service.socketPath)
    defer { connection.close() }
    for size in sizes {
        let begin = Clock.seconds
        try fill(connection, namespace: "posts\(size)", posts: size)
        print("  (\(size) posts of ten leaves written in \(rounded(Clock.seconds - begin, 1)) s)")
        let load = try HTTPLoad(connections: 1, to: service.socketPath, seconds: seconds) { _ in
            HTTP.request("GET", "/posts.json?ns=posts\(size)&orderBy=%22$key%22&limitToLast=20")
        }
        line(
            "page of 20 of \(size)", load.perSecond,
            "p50 \(ms(load.percentile(50))), p99 \(ms(load.percentile(99)))")
    }
}

private func fill(_ connection: Connection, namespace: String, posts: Int) throws {
    let batch = 2000
    for start in stride(from: 0, to: posts, by: batch) {
        let members = (start..<min(start + batch, posts)).map { number in
            let id = "-P\(100_000_000_000_000_000 + number)"
            let base = "/media/person\(number % 1000)/\(id)"
            return """
                "\(id)":{"text":"A tintype took fifteen minutes. #history","timestamp":\(1_700_000_000_000 + number),\
                "author":{"uid":"person\(number % 1000)","full_name":"Ada Lovelace","profile_picture":"/media/p.jpg"},\
                "full_url":"\(base)/full.jpg","thumb_url":"\(base)/thumb.jpg","kind":"photo",\
                "photos":{"0":{"width":4032,"height":3024}}}
                """
        }
        try connection.exchange(
            HTTP.request("PATCH", "/posts.json?print=silent&ns=\(namespace)", "{\(members.joined(separator: ","))}"))
    }
}

/// Measures the time until a service answers with a tree of ten million leaves, and its memory then.
func measureOpening(_ service: Service, leaves: Int) throws {
    service.stop()
    let seconds = try service.start()
    print(
        "  opening with \(leaves) leaves: \(rounded(seconds * 1000, 0)) ms, resident \(service.residentBytes >> 20) MiB"
    )
}

/// Measures many event streams of one process: the memory of each, and the time until the last one has received a
/// write.
func measureListeners(_ service: Service, count: Int) throws {
    var listeners: [Connection] = []
    let poll = epoll_create1(0)
    defer {
        listeners.forEach { $0.close() }
        Glibc.close(poll)
    }
    let before = service.residentBytes
    let watchers = min(1000, count)
    for number in 0..<count {
        let place = number < watchers ? "/some.json" : "/others.json"
        let listener = try Connection(port: service.port)
        try listener.send(
            Array("GET \(place) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".utf8))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: listener.descriptor))
        epoll_ctl(poll, EPOLL_CTL_ADD, listener.descriptor, &event)
        listeners.append(listener)
    }
    _ = try waitForEvents(poll, count, since: Clock.seconds)
    sleep(1)
    print("  \(count) streams open: \((service.residentBytes - before) / count) bytes of resident memory each")
    let writer = try Connection(unix: service.socketPath)
    defer { writer.close() }
    let background = try BackgroundWrites(to: service.socketPath, perSecond: 1000)
    for (body, told) in [(#"{"some":N}"#, watchers), (#"{"some":N,"others":N}"#, count)] {
        for round in 1...3 {
            sleep(1)  // one such write a second, beside the thousand a second elsewhere
            let begin = Clock.seconds
            let text = body.replacing("N", with: "\(told + round)")
            try writer.send(HTTP.request("PATCH", "/.json?print=silent", text))
            let last = try waitForEvents(poll, told, since: begin)
            while try !writer.receive() {}
            print("  a write that \(told) of them watch: all received it after \(ms(last * 1000))")
        }
    }
    background.stop()
}

/// Waits until this many connections have received an event.
///
/// - Returns: The seconds since the beginning.
private func waitForEvents(_ poll: Int32, _ count: Int, since begin: Double) throws -> Double {
    var told = Set<Int32>()
    var events = [epoll_event](repeating: epoll_event(), count: 1024)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while told.count < count {
        let ready = epoll_ready(poll, &events, 1024, 5000)
        guard Clock.seconds - begin < 60 else { throw Failure("only \(told.count) of \(count) received the event") }
        for event in events.prefix(Int(max(ready, 0))) {
            let length = read(event.data.fd, &buffer, buffer.count)
            guard length > 0 else { throw Failure("a stream was closed") }
            if buffer[..<length].contains(UInt8(ascii: "{")) { told.insert(event.data.fd) }
        }
    }
    return Clock.seconds - begin
}

func line(_ name: String, _ perSecond: Double, _ note: String) {
    print("  \(name): \(rounded(perSecond, 0)) /s, \(note)")
    fflush(nil)
}

func ms(_ value: Double) -> String { "\(rounded(value, 2)) ms" }

func rounded(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let number = (value * scale).rounded() / scale
    return digits == 0 ? "\(Int(number))" : "\(number)"
}
