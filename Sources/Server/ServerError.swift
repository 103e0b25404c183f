/// Why the HTTP server cannot start, or refuses a request before the pipeline sees it.
package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// A stable, machine-readable reason.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        // Starting the server.
        package static let badAddress = Code(rawValue: "bad_address")
        package static let addressInUse = Code(rawValue: "address_in_use")
        package static let badSocketPath = Code(rawValue: "bad_socket_path")
        package static let cannotListen = Code(rawValue: "cannot_listen")

        // Requests.
        package static let badRequest = Code(rawValue: "bad_request")
        package static let malformedRequest = Code(rawValue: "malformed_request")
        package static let headTooLarge = Code(rawValue: "head_too_large")
        package static let codingNotSupported = Code(rawValue: "coding_not_supported")
        package static let versionNotSupported = Code(rawValue: "version_not_supported")
        package static let tooSlow = Code(rawValue: "too_slow")
        package static let badMultipart = Code(rawValue: "bad_multipart")
        package static let tooLarge = Code(rawValue: "too_large_bytes")
        package static let unsupportedType = Code(rawValue: "unsupported_type")
        package static let foreignHost = Code(rawValue: "foreign_host")
        package static let crossSite = Code(rawValue: "cross_site")
        package static let localOnly = Code(rawValue: "local_only")
        package static let notFound = Code(rawValue: "not_found")
        package static let methodNotAllowed = Code(rawValue: "method_not_allowed")
        package static let rangeNotSatisfiable = Code(rawValue: "range_not_satisfiable")
        package static let resnapshot = Code(rawValue: "resnapshot")
        package static let jobRunning = Code(rawValue: "job_running")

        package static let badConfiguration = Code(rawValue: "bad_configuration")

        // Requests for the database.
        package static let invalidPath = Code(rawValue: "invalid_path")
        package static let invalidNamespace = Code(rawValue: "invalid_namespace")
        package static let permissionDenied = Code(rawValue: "permission_denied")
        package static let badToken = Code(rawValue: "bad_token")
        package static let badQuery = Code(rawValue: "bad_query")
        package static let noData = Code(rawValue: "no_data")
        package static let writeTooLarge = Code(rawValue: "write_too_large")
        package static let tooManyWrites = Code(rawValue: "too_many_writes")
        package static let tooManyReads = Code(rawValue: "too_many_reads")
        package static let conditionNotSupported = Code(rawValue: "condition_not_supported")
        package static let timedOut = Code(rawValue: "timed_out")
    }

    package let code: Code
    /// What was wrong with what: for a person.
    package let message: String
    /// What to do about it: for a person.
    package let hint: String

    package init(_ code: Code, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and, in brackets, the hint.
    package var description: String { hint.isEmpty ? message : "\(message) (\(hint))" }
}
