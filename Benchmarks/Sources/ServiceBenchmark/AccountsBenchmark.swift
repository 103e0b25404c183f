import Foundation
import Glibc

/// Measures sign-ins and listings with many accounts. The accounts are imported with one password, whose hash is
/// computed here. Each sign-in uses another account, and the same hash, by the same library in this process, is timed
/// in turn.
func measureAccounts(executable: String, folder: String, port: Int, count: Int) throws {
    let service = try Service(executable: executable, folder: folder, port: port, isEmulator: false)
    defer { service.stop() }
    let scrypt = try Scrypt()
    let begin = Clock.seconds
    try importAccounts(count, hash: scrypt.hash(), to: service)
    print("  \(count) accounts imported in \(rounded(Clock.seconds - begin, 0)) s")

    let connection = try Connection(unix: service.socketPath)
    defer { connection.close() }
    var (hashes, signIns): ([Double], [Double]) = ([], [])
    for _ in 0..<400 {
        let number = Int.random(in: 0..<count)
        let start = Clock.seconds
        _ = scrypt.hash()
        let middle = Clock.seconds
        try connection.exchange(
            HTTP.request(
                "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any",
                #"{"email":"person\#(number)@example.org","password":"\#(Scrypt.password)","returnSecureToken":true}"#,
                headers: "Content-Type: application/json\r\n"))
        hashes.append(middle - start)
        signIns.append(Clock.seconds - middle)
    }
    for percent in [50.0, 99] {
        let (hash, signIn) = (percentile(percent, of: hashes), percentile(percent, of: signIns))
        print(
            """
              sign-in, \(Int(percent)) of 100: \(rounded(signIn, 1)) ms, of which scrypt alone takes \(rounded(hash, 1)): \
            \(rounded(signIn - hash, 1)) ms more
            """)
    }
    try measurePages(connection, count: count)
}

private func importAccounts(_ count: Int, hash: [UInt8], to service: Service) throws {
    let connections = try (0..<8).map { _ in try Connection(unix: service.socketPath) }
    defer { connections.forEach { $0.close() } }
    var number = 0
    while number < count {
        // One request on each connection at a time.
        var busy: [Connection] = []
        for connection in connections where number < count {
            let users = (number..<min(number + 1000, count)).map { number in
                """
                {"localId":"u\(number)","email":"person\(number)@example.org",\
                "passwordHash":"\(Data(hash).base64EncodedString())","salt":"\(Data(Scrypt.salt).base64EncodedString())"}
                """
            }
            number += users.count
            try connection.send(
                HTTP.request(
                    "POST", "/identitytoolkit.googleapis.com/v1/projects/tintype/accounts:batchCreate",
                    """
                    {"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":\(Scrypt.cost),"blockSize":8,"parallelization":1,\
                    "dkLen":32,"users":[\(users.joined(separator: ","))]}
                    """, headers: "Content-Type: application/json\r\n"))
            busy.append(connection)
        }
        for connection in busy { while try !connection.receive() {} }
    }
}

/// Measures the pages of a listing from its beginning to its end.
private func measurePages(_ connection: Connection, count: Int) throws {
    var (times, token, listed): ([Double], String, Int) = ([], "", 0)
    repeat {
        let start = Clock.seconds
        let answer = try connection.fetch(
            HTTP.request(
                "GET",
                "/identitytoolkit.googleapis.com/v1/projects/tintype/accounts:batchGet?maxResults=1000&nextPageToken=\(token)"
            ))
        times.append(Clock.seconds - start)
        let page = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        listed += (page?["users"] as? [Any])?.count ?? 0
        token = page?["nextPageToken"] as? String ?? ""
    } while !token.isEmpty
    guard listed == count else { throw Failure("\(listed) of \(count) accounts are listed") }
    let tenth = max(1, times.count / 10)
    print(
        """
          pages of 1000 accounts: \(rounded(percentile(50, of: Array(times.prefix(tenth))), 1)) ms at the beginning, \
        \(rounded(percentile(50, of: Array(times.suffix(tenth))), 1)) at the end, \
        \(rounded(percentile(99, of: times), 1)) at most for 99 of 100
        """)
}

/// Returns a percentile, in milliseconds.
private func percentile(_ percent: Double, of seconds: [Double]) -> Double {
    let sorted = seconds.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))] * 1000
}

/// scrypt (RFC 7914) by libcrypto, with the parameters of the service.
private struct Scrypt {
    static let password = "a tintype took fifteen minutes"
    static let salt = Array("0123456789abcdef".utf8)
    static let cost: UInt64 = 1 << 15

    private typealias Function =
        @convention(c) (
            UnsafePointer<CChar>, Int, UnsafePointer<UInt8>, Int, UInt64, UInt64, UInt64, UInt64,
            UnsafeMutablePointer<UInt8>,
            Int
        ) -> Int32

    private let function: Function

    init() throws {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW), let symbol = dlsym(library, "EVP_PBE_scrypt") else {
            throw Failure("libcrypto.so.3 has no EVP_PBE_scrypt; install libssl3")
        }
        function = unsafeBitCast(symbol, to: Function.self)
    }

    func hash() -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        let memory: UInt64 = 64 << 20
        _ = function(
            Self.password, Self.password.utf8.count, Self.salt, Self.salt.count, Self.cost, 8, 1, memory, &hash, 32)
        return hash
    }
}
