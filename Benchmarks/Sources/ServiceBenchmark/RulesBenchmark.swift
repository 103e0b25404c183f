/// Measures the cost of security rules for a write: the same likes and posts with 64 clients, as the owner, who is not
/// bound by rules, and as the users, who are checked by the default rules (FriendlyPix's). The two take turns, and each
/// is first in half of the rounds, because the tree grows meanwhile. Prints the service's own processor time for each.
func measureRules(executable: String, folder: String, port: Int, seconds: Double) throws {
    let service = try Service(executable: executable, folder: "\(folder)", port: port, isEmulator: false)
    defer { service.stop() }
    let connection = try Connection(unix: service.socketPath)
    defer { connection.close() }
    let posts = 1000
    let members = (0..<posts).map { number in
        #""\#(id(of: number))":{"author":{"uid":"person\#(number % 100)","full_name":"Anonymous"},"text":"x","timestamp":1}"#
    }
    try connection.exchange(HTTP.request("PATCH", "/posts.json?print=silent", "{\(members.joined(separator: ","))}"))
    var number = posts
    for (name, request) in [("a like", like), ("a post, in one update of three nodes", post)] {
        var times: [Bool: [Double]] = [false: [], true: []]
        for isJudged in [false, true, true, false, false, true, true, false, false, true, true, false] {
            let before = service.cpuSeconds
            let load = try HTTPLoad(connections: 64, to: service.socketPath, seconds: seconds / 6) { _ in
                number += 1
                return request(number, isJudged)
            }
            times[isJudged]?.append((service.cpuSeconds - before) / Double(max(1, load.latencies.count)) * 1e6)
        }
        let (free, judged) = (times[false]?.min() ?? 0, times[true]?.min() ?? 0)
        print(
            """
              \(name): \(rounded(free, 1)) µs of processor time without rules, \(rounded(judged, 1)) with them, \
            \(rounded(judged / free, 3)) times as much (the least of 6 rounds each)
            """)
    }
}

private func id(of number: Int) -> String { "-P\(100_000_000_000_000_000 + number)" }

private func like(_ number: Int, isJudged: Bool) -> [UInt8] {
    let person = "fan\(number)"
    return HTTP.request(
        "PUT", "/likes/\(id(of: number % 1000))/\(person).json?print=silent\(isJudged ? "&as=\(person)" : "")",
        #"{".sv":"timestamp"}"#)
}

private func post(_ number: Int, isJudged: Bool) -> [UInt8] {
    let (person, id) = ("person\(number % 100)", id(of: number))
    return HTTP.request(
        "PATCH", "/.json?print=silent\(isJudged ? "&as=\(person)" : "")",
        """
        {"posts/\(id)":{"author":{"uid":"\(person)","full_name":"Anonymous"},"text":"A tintype took fifteen minutes.",\
        "timestamp":{".sv":"timestamp"},"client":"web","full_url":"https://photos.example/full.jpg",\
        "thumb_url":"https://photos.example/thumb.jpg"},"people/\(person)/posts/\(id)":true,"feed/\(person)/\(id)":true}
        """)
}
