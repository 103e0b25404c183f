package import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server over TCP that does to each connection what a script says, byte for byte, right or wrong.
package enum ScriptedServer {
    /// Starts a server, and ends it and its connections when the body has returned.
    ///
    /// - Parameters:
    ///   - script: What happens to a connection, on a thread of its own. The connection is closed when it returns.
    ///   - body: Gets the address of the server.
    package static func run<Result>(
        _ script: @escaping @Sendable (ScriptedConnection) throws -> Void, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let listener = try Listener()
        let threads = DispatchGroup()
        threads.enter()
        Thread.detachNewThread {
            listener.acceptAll { accepted in
                threads.enter()
                Thread.detachNewThread {
                    let connection = ScriptedConnection(accepted)
                    try? script(connection)
                    connection.end()
                    threads.leave()
                }
            }
            threads.leave()
        }
        do {
            let result = try await body(listener.address)
            await end(listener, threads)
            return result
        } catch {
            await end(listener, threads)
            throw error
        }
    }

    private static func end(_ listener: Listener, _ threads: DispatchGroup) async {
        listener.stop()
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
        listener.close()
    }
}

/// A listening socket on a free port of 127.0.0.1, and a pipe whose end wakes all threads.
private struct Listener: Sendable {
    let address: URL
    private let socket: Int32
    private let stopped: Int32
    private let stopper: Int32

    init() throws {
        #if canImport(Glibc)
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let status = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(socket, name, length) == 0 && listen(socket, 256) == 0 && getsockname(socket, name, &length) == 0
            }
        }
        var ends: [Int32] = [0, 0]
        guard status, pipe(&ends) == 0, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))")
        else { throw ServiceProcessError("no port to listen on: \(errno)") }
        (address, stopped, stopper) = (url, ends[0], ends[1])
    }

    func acceptAll(_ body: (AcceptedSocket) -> Void) {
        var number = 0
        while ScriptedConnection.wait(for: POLLIN, of: socket, unless: stopped, milliseconds: -1) {
            let accepted = accept(socket, nil, nil)
            guard accepted >= 0 else { continue }
            _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK)
            body(AcceptedSocket(socket: accepted, stopped: stopped, number: number))
            number += 1
        }
    }

    func stop() { _ = platformClose(stopper) }

    func close() {
        _ = platformClose(stopped)
        _ = platformClose(socket)
    }
}

private func platformClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
