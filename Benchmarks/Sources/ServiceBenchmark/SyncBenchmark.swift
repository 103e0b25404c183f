/// Measures what it costs to bring a device up to date, beside the page of the home feed that a device without a position
/// reads each time: when nothing is new, after changes that do not concern the reader, and after ones that do. Prints the
/// service's own processor time for each request.
func measureSync(executable: String, folder: String, port: Int, seconds: Double) throws {
    let service = try Service(executable: executable, folder: folder, port: port)
    defer { service.stop() }
    let connection = try Connection(unix: service.socketPath)
    defer { connection.close() }
    let (followees, posts) = (300, 3000)
    let links = (0..<followees).map { #""p\#($0)":true"# }.joined(separator: ",")
    try connection.exchange(
        HTTP.request(
            "PATCH", "/people.json?print=silent", #"{"reader":{"full_name":"Reader","following":{\#(links)}}}"#))
    let members = (0..<posts).map { number in
        #""\#(id(of: number))":{"author":{"uid":"p\#(number % followees)","full_name":"Anonymous"},"text":"x","timestamp":1}"#
    }
    try connection.exchange(HTTP.request("PATCH", "/posts.json?print=silent", "{\(members.joined(separator: ","))}"))
    let page = HTTP.request("GET", "/v1/people/reader/feed?as=reader&limit=20")
    let whole = try processorTime(of: page, service, seconds)
    print("  the first page of the home feed, 20 posts: \(rounded(whole, 1)) µs of processor time")
    // Likes of strangers' posts, then of posts in the feed.
    for (name, count, first) in [
        ("nothing is new", 0, 0), ("1,000 changes of others", 1000, posts), ("10 likes in the feed", 10, 0),
    ] {
        let bytes = try connection.fetch(HTTP.request("GET", "/v1/sync?as=reader&limit=1"))
        let answer = String(decoding: bytes, as: UTF8.self)
        guard let next = answer.firstMatch(of: /"next":"([0-9]+\.[0-9a-f])"/)?.1 else { return print("  no position") }
        for number in 0..<count {
            try connection.exchange(
                HTTP.request("PUT", "/likes/\(id(of: first + number))/fan\(number).json?print=silent", "1"))
        }
        let time = try processorTime(of: HTTP.request("GET", "/v1/sync?as=reader&since=\(next)"), service, seconds)
        print("  a difference, \(name): \(rounded(time, 1)) µs, \(rounded(time / whole, 3)) times as much as the page")
    }
}

/// Returns the service's processor time for a request, in microseconds: the least of six rounds.
private func processorTime(of request: [UInt8], _ service: Service, _ seconds: Double) throws -> Double {
    var least = Double.infinity
    for _ in 0..<6 {
        let before = service.cpuSeconds
        let load = try HTTPLoad(connections: 8, to: service.socketPath, seconds: seconds / 12) { _ in request }
        least = min(least, (service.cpuSeconds - before) / Double(max(1, load.latencies.count)) * 1e6)
    }
    return least
}

private func id(of number: Int) -> String { "-P\(100_000_000_000_000_000 + number)" }
