package import API
import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The files by which the server proves its identity to clients over TCP.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate, followed by those of the authorities between it and a root, in PEM.
    package var certificate: String
    /// The path of the certificate's private key, in PEM.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The server's certificate, read again when its files change, so that a renewal needs no restart.
package final class TLSCertificates: Sendable {
    private struct Current {
        var identity: Identity
        var versions: [FileVersion]
    }

    /// The contents of the files.
    private struct Identity {
        let context: NIOSSLContext
        /// The end of the certificate, in seconds since the epoch.
        let expiry: Int
    }

    /// The attributes by which a changed file is detected: certificates are replaced by renames, or overwritten.
    private struct FileVersion: Equatable {
        let number: Int?
        let modified: Date?
        let size: Int?

        init(_ path: String) {
            // The attributes of a link's target: renewals often replace the target.
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
        current = Mutex(Current(identity: try Self.identity(of: files), versions: versions))
    }

    /// The TLS context for new connections.
    var context: NIOSSLContext { current.withLock { $0.identity.context } }

    /// The time at which the certificate ends, in seconds since the epoch.
    package var expiry: Int { current.withLock { $0.identity.expiry } }

    /// Reads the files again whenever they have changed, until the task is cancelled; if they cannot be read, the old
    /// certificate stays in use.
    ///
    /// - Parameters:
    ///   - interval: The time between checks of the files.
    ///   - onChange: Is called after the files were read again.
    func watch(every interval: Duration, _ logger: Logger, onChange: (TLSCertificates) -> Void) async throws {
        while true {
            try await Task.sleep(for: interval)
            do throws(Failure) {
                guard try reloadIfChanged() else { continue }
                onChange(self)
                logger.notice("the certificate was read again", metadata: ["file": "\(files.certificate)"])
            } catch {
                logger.error("the changed certificate cannot be read", metadata: ["fault": "\(error)"])
            }
        }
    }

    /// Reads the files again if they have changed since the last call; if they cannot be read, the old certificate
    /// stays in use.
    ///
    /// - Returns: Whether they have changed.
    /// - Throws: `Failure` with the code `bad_certificate`; it is thrown once for each change.
    func reloadIfChanged() throws(Failure) -> Bool {
        let versions = Self.versions(of: files)
        let isNew = current.withLock { current in
            defer { current.versions = versions }
            return current.versions != versions
        }
        guard isNew else { return false }
        let identity = try Self.identity(of: files)
        current.withLock { $0.identity = identity }
        return true
    }

    private static func versions(of files: TLSFiles) -> [FileVersion] {
        [FileVersion(files.certificate), FileVersion(files.key)]
    }

    private static func identity(of files: TLSFiles) throws(Failure) -> Identity {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw bad(files.certificate, "is not a readable certificate in PEM: \(error)")
        }
        guard let own = chain.first else { throw bad(files.certificate, "contains no certificate") }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw bad(files.key, "is not a readable private key in PEM: \(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // The wait for the other end's close_notify, which idle clients do not send: a shutdown would wait for each of
        // them.
        configuration.shutdownTimeout = .seconds(1)
        do {
            return Identity(context: try NIOSSLContext(configuration: configuration), expiry: own.notValidAfter)
        } catch {
            throw bad(files.key, "does not belong to the certificate \(files.certificate): \(error)")
        }
    }

    private static func bad(_ path: String, _ complaint: String) -> Failure {
        Failure(
            .badCertificate, "\(path) \(complaint)",
            hint: "Set tls-certificate to the certificate with its chain, and tls-key to its private key, both in PEM.")
    }
}

/// Keeps the certificate up to date with its files while the server runs.
package struct CertificateWatch: Service, CustomStringConvertible {
    package let description = "certificate"
    let certificates: TLSCertificates
    let interval: Duration
    let logger: Logger
    /// Is called with the certificate at the start, and each time that it was read again.
    let onRead: @Sendable (TLSCertificates) -> Void

    func run() async throws {
        onRead(certificates)
        try? await cancelWhenGracefulShutdown {
            try await certificates.watch(every: interval, logger, onChange: onRead)
        }
    }
}
