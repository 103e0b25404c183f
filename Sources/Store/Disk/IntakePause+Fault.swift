package import API

extension IntakePause {
    /// Describes a fault without details, because anonymous clients may see it.
    package init(_ fault: any Error) {
        let fault = Failure(fault)
        let message: String
        switch fault.code {
        case .diskFull: message = "the disk is full"
        case .readOnly: message = "the disk, or the database, is read-only"
        case .permission: message = "the service has no write access to its folder"
        case .io: message = "the disk reports input/output errors"
        case .tooManyFiles: message = "too many files are open"
        case .corrupt: message = "the database is damaged"
        case .missingUpdates: message = "the database lacks updates that it had committed"
        case .rulesUnreadable: message = "the rules of the database cannot be read"
        case .locked: message = "another service uses the same folder"
        default: message = "nothing can be written"
        }
        self.init(code: fault.code, message: message, hint: fault.hint)
    }
}

extension IntakePause: FailureConvertible {
    package var failure: Failure { Failure(code, message, hint: hint, isTransient: true) }
}
