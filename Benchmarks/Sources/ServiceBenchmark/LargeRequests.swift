import Foundation

/// Measures small requests beside large ones, each kind in turn.
func measureLargeRequests(_ service: Service, seconds: Double) throws {
    let socket = service.socketPath
    let nulls = members(300_000, "null")
    let numbers = [members(1_000_000, "1"), members(1_000_000, "2")]
    try smallRequests("beside nothing", service, seconds) { _ in }
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    let texts = [members(30, "\"\(text)\""), members(30, "\"\(text) again\"")]
    try exchange(HTTP.request("PUT", "/large.json?print=silent", texts[0]), to: socket)
    try smallRequests("beside 50 unread reads of 30 MiB at a time", service, seconds) { isOver in
        while !isOver() {
            let readers = try (0..<50).map { _ in try Connection(unix: socket) }
            for reader in readers { try reader.send(HTTP.request("GET", "/large.json")) }
            while !isOver(), readers.contains(where: { Clock.seconds - $0.sentAt < 5 }) { usleep(10_000) }
            for reader in readers { reader.close() }
        }
    }
    try exchange(HTTP.request("DELETE", "/large.json", ""), to: socket)
    try smallRequests("beside PATCHes of 300,000 nulls for absent values", service, seconds) { isOver in
        while !isOver() { try exchange(HTTP.request("PATCH", "/none.json?print=silent", nulls), to: socket) }
    }
    try smallRequests("beside PATCHes of 300,000 nulls for existing values, and PUTs of these", service, seconds) {
        isOver in
        let values = members(300_000, "1")
        while !isOver() {
            try exchange(HTTP.request("PUT", "/some.json?print=silent", values), to: socket)
            try exchange(HTTP.request("PATCH", "/some.json?print=silent", nulls), to: socket)
        }
    }
    try smallRequests("beside PUTs of 1,000,000 keys", service, seconds) { isOver in
        try putInTurn(numbers, to: socket, until: isOver)
    }
    try smallRequests("beside PUTs of 30 texts of 1 MiB", service, seconds) { isOver in
        try putInTurn(texts, to: socket, until: isOver)
    }
    try smallRequests("beside a person's updates of 45 posts with ten hashtags each", service, seconds) { isOver in
        try putTogether(to: socket, until: isOver) { round in
            (0..<45).map { number in
                """
                "posts/-P\(100_000_000_000_000_000 + round * 45 + number)":{"author":{"uid":"person","full_name":"Anonymous"},\
                "text":"\((0..<10).map { "#tag\(number)of\($0)" }.joined(separator: " "))","timestamp":{".sv":"timestamp"},\
                "client":"web","full_url":"https://photos.example/full.jpg","thumb_url":"https://photos.example/thumb.jpg"}
                """
            }
        }
    }
    try exchange(HTTP.request("PUT", "/.settings/rules.json", #"{"rules":{".write":true}}"#), to: socket)
    try smallRequests("beside a person's updates of 5,000 paths with two values each", service, seconds) { isOver in
        try putTogether(to: socket, until: isOver) { round in
            (0..<5000).map { #""notes/note\#($0)":{"first":\#(round),"second":\#(round)}"# }
        }
    }
}

/// Sends updates as a user who is bound by rules, each as soon as the one before is answered.
private func putTogether(
    to socketPath: String, until isOver: () -> Bool, _ members: (_ round: Int) -> [String]
) throws {
    var round = 0
    while !isOver() {
        round += 1
        let update = "{\(members(round).joined(separator: ","))}"
        try exchange(HTTP.request("PATCH", "/.json?print=silent&as=person", update), to: socketPath)
    }
}

private func members(_ count: Int, _ value: String) -> String {
    "{\((0..<count).map { "\"key\($0)\":\(value)" }.joined(separator: ","))}"
}

/// Writes the values to one path in turn, each as soon as the one before is answered, so that each changes data.
private func putInTurn(_ values: [String], to socketPath: String, until isOver: () -> Bool) throws {
    while !isOver() {
        for value in values {
            try exchange(HTTP.request("PUT", "/turns.json?print=silent", value), to: socketPath)
        }
    }
}

/// Sends a request over a new connection, and waits for the answer.
func exchange(_ request: [UInt8], to socketPath: String) throws {
    let connection = try Connection(unix: socketPath)
    defer { connection.close() }
    try connection.exchange(request)
}

/// Writes and reads small values for a while beside large requests on another thread, and prints the latencies.
private func smallRequests(
    _ name: String, _ service: Service, _ seconds: Double,
    beside large: @escaping @Sendable (_ isOver: () -> Bool) throws -> Void
) throws {
    let end = Clock.seconds + seconds
    let socket = service.socketPath
    let threads = DispatchGroup()
    func inParallel(_ body: @escaping @Sendable () throws -> Void) {
        DispatchQueue.global().async(group: threads) {
            do {
                try body()
            } catch {
                print("  \(name): \(error)")
            }
        }
    }
    inParallel { try large { Clock.seconds > end } }
    inParallel {
        try regularly("a small write \(name)", until: end, over: socket) { HTTP.request("PUT", "/small.json", "\($0)") }
    }
    inParallel {
        try regularly("a small read \(name)", until: end, over: socket) { _ in HTTP.request("GET", "/small.json") }
    }
    threads.wait()
    fflush(nil)
}

/// Sends 50 requests a second over a connection and prints the latencies. Each is counted from the time when the
/// request was due, and so includes delays by the request before.
private func regularly(
    _ name: String, until end: Double, over socketPath: String, _ request: (_ number: Int) -> [UInt8]
) throws {
    let connection = try Connection(unix: socketPath)
    defer { connection.close() }
    var times: [Double] = []
    var due = Clock.seconds
    while due < end {
        usleep(UInt32(max(due - Clock.seconds, 0) * 1_000_000))
        try connection.exchange(request(times.count))
        times.append((Clock.seconds - due) * 1000)
        due += 0.02
    }
    times.sort()
    func percentile(_ share: Double) -> String { ms(times[Int(Double(times.count - 1) * share)]) }
    print("  \(name): p50 \(percentile(0.5)), p99 \(percentile(0.99)), most \(percentile(1))")
}
