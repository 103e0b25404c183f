import Glibc

/// Runs the script that measures PostgreSQL.
struct PostgresPeer {
    let folder: String
    let seconds: Double

    func run() throws {
        let bare = try BareSync.rate(in: folder, seconds: min(seconds, 2))
        Table.printRate("bare fdatasync", bare)
        let script = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/postgres-peer"
        let output = try Self.output(of: "'\(script)' '\(folder)' \(max(1, Int(seconds.rounded())))")
        guard let rate = Double(output.filter { !$0.isWhitespace }) else {
            throw PeerError(description: "\(script) printed \"\(output)\" instead of a rate")
        }
        Table.printRate("64 clients of PostgreSQL", rate, of: bare)
    }

    private static func output(of command: String) throws -> String {
        guard let pipe = popen(command, "r") else { throw SystemError(command) }
        var output: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { output.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { throw PeerError(description: "\(command) failed") }
        return String(decoding: output, as: UTF8.self)
    }
}

/// A failure of the peer.
struct PeerError: Error, CustomStringConvertible {
    let description: String
}
