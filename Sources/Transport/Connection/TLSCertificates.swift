package import API
import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The files by which the server proves to clients over TCP which service it is.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate, with those of the authorities between it and a root, in PEM.
    package var certificate: String
    /// The path of the certificate's private key, in PEM.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The server's certificate, read anew when its files change: renewing it needs no restart.
package final class TLSCertificates: Sendable {
    private struct Current {
        var context: NIOSSLContext
        var versions: [FileVersion]
    }

    /// By what it is noticed that a file is another one: certificates are replaced by renames, or written over.
    private struct FileVersion: Equatable {
        let number: Int?
        let modified: Date?
        let size: Int?

        init(_ path: String) {
            // The attributes of what a link leads to: that is how renewals often change a certificate.
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: target)
            number = attributes?[.systemFileNumber] as? Int
            modified = attributes?[.modificationDate] as? Date
            size = attributes?[.size] as? Int
        }
    }

    private let files: TLSFiles
    private let current: Mutex<Current>

    /// Reads the files.
    ///
    /// - Throws: `Failure` with the code `bad_certificate` that names the file.
    package init(_ files: TLSFiles) throws(Failure) {
        self.files = files
        let versions = Self.versions(of: files)
        current = Mutex(Current(context: try Self.context(of: files), versions: versions))
    }

    /// What the next connection is encrypted with.
    var context: NIOSSLContext { current.withLock { $0.context } }

    /// Reads the files again whenever they have changed, until the task is cancelled; what cannot be read leaves the old
    /// certificate in use.
    ///
    /// - Parameter interval: How often the files are looked at.
    func watch(every interval: Duration, _ logger: Logger) async throws {
        while true {
            try await Task.sleep(for: interval)
            do throws(Failure) {
                guard try reloadIfChanged() else { continue }
                logger.notice("the certificate was read again", metadata: ["file": "\(files.certificate)"])
            } catch {
                logger.error("the certificate is as it was", metadata: ["fault": "\(error)"])
            }
        }
    }

    /// Reads the files again if they have changed.
    ///
    /// - Returns: Whether they had.
    /// - Throws: `Failure` with the code `bad_certificate`; it is thrown once for each change.
    func reloadIfChanged() throws(Failure) -> Bool {
        let versions = Self.versions(of: files)
        let isNew = current.withLock { current in
            defer { current.versions = versions }
            return current.versions != versions
        }
        guard isNew else { return false }
        let context = try Self.context(of: files)
        current.withLock { $0.context = context }
        return true
    }

    private static func versions(of files: TLSFiles) -> [FileVersion] {
        [FileVersion(files.certificate), FileVersion(files.key)]
    }

    private static func context(of files: TLSFiles) throws(Failure) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw bad(files.certificate, "is no certificate in PEM that can be read: \(error)")
        }
        guard !chain.isEmpty else { throw bad(files.certificate, "has no certificate in it") }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw bad(files.key, "is no private key in PEM that can be read: \(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // For the other end's farewell, which idle clients do not send: a shutdown would wait for each of them.
        configuration.shutdownTimeout = .seconds(1)
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw bad(files.key, "does not belong to the certificate \(files.certificate): \(error)")
        }
    }

    private static func bad(_ path: String, _ complaint: String) -> Failure {
        Failure(
            .badCertificate, "\(path) \(complaint)",
            hint: "tls-certificate is the certificate with its chain, tls-key its private key, both in PEM")
    }
}

/// Keeps a certificate as its files are, for as long as the server runs.
package struct CertificateWatch: Service, CustomStringConvertible {
    package let description = "certificate"
    let certificates: TLSCertificates
    let interval: Duration
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown { try await certificates.watch(every: interval, logger) }
    }
}
