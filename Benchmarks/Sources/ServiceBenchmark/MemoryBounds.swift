import Foundation

/// Measures the memory and disk of the service under demanding requests, and half a minute after them; each kind on a
/// fresh Storage.
func measureMemory(executable: String, folder: String, port: Int) throws {
    let kinds: [(String, (Service) throws -> Void)] = [
        ("writes of 59 MiB of JSON", largeWrites), ("readers of a tree of 60 MiB", treeReaders),
        ("60 readers of 35 MiB that read 64 KiB in 5 s", slowReaders),
        ("100 unread streams of 30 MiB", unreadStreams),
    ]
    for (number, (name, measure)) in kinds.enumerated() {
        let own = "\(folder)/\(number)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        let service = try Service(executable: executable, folder: own, port: port + number)
        defer {
            service.stop()
            try? FileManager.default.removeItem(atPath: own)
        }
        print("\n\(name)")
        try exchange(HTTP.request("GET", "/.json"), to: service.socketPath)
        tell("idle", service)
        try measure(service)
        sleep(30)
        tell("30 s afterwards", service)
    }
}

private func largeWrites(_ service: Service) throws {
    let socket = service.socketPath
    let json = posts(mebibytes: 59)
    let connection = try Connection(unix: socket)
    defer { connection.close() }
    for number in 0..<12 { try connection.exchange(HTTP.request("PUT", "/tree\(number % 4).json", json)) }
    tell("12 in turn", service)
    sleep(30)
    tell("30 s afterwards, the connection still open", service)
    atOnce(4) { number in
        for _ in 0..<3 { try exchange(HTTP.request("PUT", "/tree\(number).json", json), to: socket) }
    }
    tell("12 more, 4 at once", service)
}

private func treeReaders(_ service: Service) throws {
    let socket = service.socketPath
    try exchange(HTTP.request("PUT", "/tree.json?print=silent", posts(mebibytes: 60)), to: socket)
    sleep(10)
    tell("the tree is written", service)
    for second in stride(from: 30, through: 180, by: 30) {
        let end = Clock.seconds + 30
        atOnce(4) { _ in
            while Clock.seconds < end { try exchange(HTTP.request("GET", "/.json"), to: socket) }
        }
        tell("4 of them for \(second) s", service)
    }
}

private func slowReaders(_ service: Service) throws {
    try exchange(HTTP.request("PUT", "/tree.json?print=silent", posts(mebibytes: 35)), to: service.socketPath)
    tell("the node is written", service)
    let readers = try unread(60, HTTP.request("GET", "/tree.json"), service)
    defer { readers.forEach { $0.close() } }
    sleep(5)
    print("  \(refusedCount(readers)) of them are refused temporarily")
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    for second in stride(from: 5, through: 120, by: 5) {
        try askSmall(for: 5, service)
        for reader in readers { recv(reader.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
        if second % 30 == 0 { tell("after \(second) s", service) }
    }
}

private func unreadStreams(_ service: Service) throws {
    try exchange(HTTP.request("PUT", "/tree.json?print=silent", posts(mebibytes: 30)), to: service.socketPath)
    tell("the node is written", service)
    let request = HTTP.request("GET", "/tree.json", headers: "Accept: text/event-stream\r\n")
    let streams = try unread(100, request, service)
    defer { streams.forEach { $0.close() } }
    for second in stride(from: 5, through: 60, by: 5) {
        let longest = try askSmall(for: 5, service)
        if second % 10 == 0 {
            tell("after \(second) s", service)
            print("    \(refusedCount(streams)) are refused; a small write and read took \(ms(longest * 1000))")
        }
    }
}

// MARK: -

/// Returns posts as a tree stores them, with this size.
private func posts(mebibytes: Int) -> String {
    let text = "A tintype took fifteen minutes, and whoever blinked was sorry afterwards. #history"
    let one = """
        {"text":"\(text)","timestamp":1795261728990,"author":{"uid":"maria","full_name":"Ada Lovelace"},\
        "kind":"photo","photos":{"0":{"width":4032,"height":3024}}}
        """
    let count = (mebibytes << 20) / (one.utf8.count + 24)
    return "{\((0..<count).map { "\"-P\(100_000_000_000_000_000 + $0)\":\(one)" }.joined(separator: ","))}"
}

/// Opens connections that send a request and read nothing.
private func unread(_ count: Int, _ request: [UInt8], _ service: Service) throws -> [Connection] {
    try (0..<count).map { _ in
        let connection = try Connection(unix: service.socketPath)
        try connection.send(request)
        return connection
    }
}

/// Writes and reads small values for a while.
///
/// - Returns: The longest time of a write and the read after it, in seconds.
@discardableResult
private func askSmall(for seconds: Double, _ service: Service) throws -> Double {
    let end = Clock.seconds + seconds
    var longest = 0.0
    while Clock.seconds < end {
        let begin = Clock.seconds
        try exchange(HTTP.request("PUT", "/small.json", "1"), to: service.socketPath)
        try exchange(HTTP.request("GET", "/small.json"), to: service.socketPath)
        longest = max(longest, Clock.seconds - begin)
        usleep(50_000)
    }
    return longest
}

/// Counts the connections that were refused because too many answers wait.
private func refusedCount(_ connections: [Connection]) -> Int {
    connections.count { connection in
        var head = [UInt8](repeating: 0, count: 12)
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        let count = recv(connection.descriptor, &head, head.count, flags)
        return count == head.count && head.elementsEqual("HTTP/1.1 503".utf8)
    }
}

/// Runs a body on this many threads, and waits for all.
private func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    for number in 0..<count {
        Thread {
            do {
                try body(number)
            } catch {
                print("  \(error)")
            }
            isDone.signal()
        }.start()
    }
    for _ in 0..<count { isDone.wait() }
}

private func tell(_ moment: String, _ service: Service) {
    print("  \(moment): \(Holdings(of: service.processID))")
    fflush(nil)
    Holdings.forgetMost(service.processID)
}
