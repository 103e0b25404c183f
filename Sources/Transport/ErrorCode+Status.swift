package import API
package import HTTPTypes

extension ErrorCode {
    /// The status of an error that is reported to clients with its own code; nil for internal faults of the service.
    package var status: HTTPResponse.Status? {
        switch self {
        case .badRequest, .badMultipart, .badUser, .badText, .badTime, .badReference, .emptyFile, .emptyPost,
            .lengthChanged, .malformedRequest, .invalidPath, .badQuery, .noData, .writeTooLarge, .conditionNotSupported,
            .timedOut:
            .badRequest
        case .permissionDenied, .badToken: .unauthorized
        case .foreignHost, .crossSite, .adminOnly, .blocked, .notAllowed, .notConsented, .notEncrypted, .notMember:
            .forbidden
        case .notFound, .unknownUser, .invalidNamespace, .invitationUnknown: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooSlow: .requestTimeout
        case .wrongState, .jobRunning, .tooMuchGarbage, .duplicate, .takenOver, .wrongOffset: .conflict
        case .resnapshot, .bytesLost, .deleted, .tokenTooOld, .tokenUnknown, .uploadExpired, .invitationExpired,
            .invitationUsedUp, .invitationWithdrawn:
            .gone
        case .protocolVersion, .preconditionFailed: .preconditionFailed
        case .tooLarge, .tooManyBytes: .contentTooLarge
        case .unsupportedFormat, .unsupportedType: .unsupportedMediaType
        case .rangeNotSatisfiable: .rangeNotSatisfiable
        case .audiencePost, .badAudience, .badCertificate, .badConfiguration, .badMention, .badTimestamp, .invalidRules,
            .keyReused,
            .moderationRefused, .tooManyPhotos, .tooManyPixels,
            .sideTooLong, .tooManyFrames, .tooManyScans, .tooMuchMemory, .truncated, .corrupt, .decoderCrashed,
            .decoderTimedOut, .cannotScrub, .oneself, .originalDropped, .invitationElsewhere:
            .unprocessableContent
        case .quotaExceeded: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .upgradeRequired: .upgradeRequired
        case .tooManyRequests, .tooManyUploads: .tooManyRequests
        case .checksumMismatch: HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch")
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .codingNotSupported: .notImplemented
        case .versionNotSupported: .httpVersionNotSupported
        case .shuttingDown, .tooManyWrites, .tooManyReads, .moderationUnavailable: .serviceUnavailable
        case .addressInUse, .backupDamaged, .badAddress, .badName, .badRecipe, .badSidecar, .badSocketPath, .blobsLost,
            .blobsOlder,
            .busy, .cancelled, .cannotListen, .cannotOpen, .changedWhileRead, .closed, .conflictingPaths,
            .connectionLost, .crossDevice, .damaged, .differentStores, .diskFull, .engine, .exists, .folderVanished,
            .hardLinked, .indexNotDefined, .intakePaused, .internal, .invalidJSON, .invalidKey, .invalidQuery,
            .invalidValue, .io, .isolationUnavailable, .leftOver, .locked, .missingUpdates,
            .noService, .notBackup, .originalDamaged, .originalMissing, .outOfMemory, .overflow, .permission,
            .readOnly, .restoreUnfinished, .rulesUnreadable, .storageMissing, .tooDeep, .tooManyConnections,
            .tooManyFiles, .treeLost,
            .treeOlder, .unavailable, .unknown, .unreachable, .unreadable, .updateTooLarge, .upgradeReturning,
            .upgradeUnconfirmed, .workerKilled,
            .workerUnavailable, .wrongKind:
            nil
        }
    }
}

extension ErrorCode {
    /// The codes that responses to clients contain, for the check of the documents; all others are internal faults.
    package static var shownToClients: [ErrorCode] { allCases.filter { $0.status != nil } }
}
