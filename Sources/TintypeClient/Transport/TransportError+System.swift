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
        self.init(Self.cause(of: error.code), "\(error.code.rawValue) \(error.localizedDescription)")
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
