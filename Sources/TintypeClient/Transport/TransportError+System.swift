internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension TransportError {
    /// Creates an error of one that the system reports.
    init(system error: any Error) {
        guard let error = error as? URLError else {
            self.init(.interrupted, String(describing: error))
            return
        }
        let text = error.localizedDescription
        // Linux has no code of its own for a certificate that is refused.
        let isOfTLS = error.code == .unknown && (text.hasPrefix("SSL") || text.contains("certificate"))
        self.init(isOfTLS ? .untrusted : Self.cause(of: error.code), "\(error.code.rawValue) \(text)")
    }

    private static func cause(of code: URLError.Code) -> Cause {
        switch code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: .offline
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .badURL: .unreachable
        case .timedOut: .timedOut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .untrusted
        case .dataLengthExceedsMaximum: .tooLarge
        case .unsupportedURL, .cannotDecodeRawData, .cannotDecodeContentData, .cannotParseResponse: .malformed
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: .unreadableFile
        default: .interrupted
        }
    }
}
