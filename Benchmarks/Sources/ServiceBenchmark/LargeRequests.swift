import Foundation

/// How long small requests take beside large ones, each kind in turn.
func measureLargeRequests(_ service: Service, seconds: Double) throws {
    let socket = service.socketPath
    let nulls = members(300_000, "null")
    let numbers = members(1_000_000, "1")
    try smallRequests("beside nothing", service, seconds) { _ in }
    try smallRequests("beside PATCHes of 300,000 nulls where nothing is", service, seconds) { isOver in
        while !isOver() { try exchange(HTTP.request("PATCH", "/none.json?print=silent", nulls), to: socket) }
    }
    try smallRequests("beside PATCHes of 300,000 nulls where values are, and PUTs of these", service, seconds) {
        isOver in
        let values = members(300_000, "1")
        while !isOver() {
            try exchange(HTTP.request("PUT", "/some.json?print=silent", values), to: socket)
            try exchange(HTTP.request("PATCH", "/some.json?print=silent", nulls), to: socket)
        }
    }
    try smallRequests("beside PUTs of 1,000,000 keys", service, seconds) { isOver in
        while !isOver() { try exchange(HTTP.request("PUT", "/many.json?print=silent", numbers), to: socket) }
    }
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    let large = "{\((0..<30).map { "\"k\($0)\":\"\(text)\"" }.joined(separator: ","))}"
    try exchange(HTTP.request("PUT", "/large.json?print=silent", large), to: socket)
    try smallRequests("beside 50 unread reads of 30 MiB at a time", service, seconds) { isOver in
        while !isOver() {
            let readers = try (0..<50).map { _ in try Connection(unix: socket) }
            for reader in readers { try reader.send(HTTP.request("GET", "/large.json")) }
            while !isOver(), readers.contains(where: { Clock.seconds - $0.sentAt < 5 }) { usleep(10_000) }
            for reader in readers { reader.close() }
        }
    }
}

private func members(_ count: Int, _ value: String) -> String {
    "{\((0..<count).map { "\"key\($0)\":\(value)" }.joined(separator: ","))}"
}

/// Sends a request over a connection of its own, and waits for the answer.
func exchange(_ request: [UInt8], to socketPath: String) throws {
    let connection = try Connection(unix: socketPath)
    defer { connection.close() }
    try connection.exchange(request)
}

/// Writes and reads small things for a while, and prints how long that took, beside something large on another thread.
private func smallRequests(
    _ name: String, _ service: Service, _ seconds: Double,
    beside large: @escaping @Sendable (_ isOver: () -> Bool) throws -> Void
) throws {
    let end = Clock.seconds + seconds
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
        do {
            try large { Clock.seconds > end }
        } catch {
            print("  \(name): \(error)")
        }
        isDone.signal()
    }
    other.start()
    let connection = try Connection(unix: service.socketPath)
    defer { connection.close() }
    var (writes, reads): ([Double], [Double]) = ([], [])
    while Clock.seconds < end {
        writes.append(
            try milliseconds { try connection.exchange(HTTP.request("PUT", "/small.json", "\(writes.count)")) })
        reads.append(try milliseconds { try connection.exchange(HTTP.request("GET", "/small.json")) })
        usleep(5000)
    }
    isDone.wait()
    for (kind, times) in [("write", writes.sorted()), ("read", reads.sorted())] {
        func percentile(_ share: Double) -> String { ms(times[Int(Double(times.count - 1) * share)]) }
        print("  a small \(kind) \(name): p50 \(percentile(0.5)), p99 \(percentile(0.99)), most \(percentile(1))")
    }
    fflush(nil)
}

private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let begin = Clock.seconds
    try body()
    return (Clock.seconds - begin) * 1000
}
