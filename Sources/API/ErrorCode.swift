/// The machine-readable reason for an error of the service, its libraries or its command line, as it is written in
/// responses, documents and records.
package enum ErrorCode: String, CaseIterable, Codable, Hashable, Sendable {
    case addressInUse = "address_in_use"
    case adminOnly = "admin_only"
    case audiencePost = "audience_post"
    case backupDamaged = "backup_damaged"
    case badAddress = "bad_address"
    case badAudience = "bad_audience"
    case badCertificate = "bad_certificate"
    case badConfiguration = "bad_configuration"
    case badMention = "bad_mention"
    case badMultipart = "bad_multipart"
    case badName = "bad_name"
    case badQuery = "bad_query"
    case badRecipe = "bad_recipe"
    case badReference = "bad_reference"
    case badRequest = "bad_request"
    case badSidecar = "bad_sidecar"
    case badSocketPath = "bad_socket_path"
    case badText = "bad_text"
    case badTime = "bad_time"
    case badTimestamp = "bad_timestamp"
    case badToken = "bad_token"
    case badUser = "bad_user"
    case blobsLost = "blobs_lost"
    case blobsOlder = "blobs_older"
    case blocked
    case busy
    case bytesLost = "bytes_lost"
    case cancelled
    case cannotListen = "cannot_listen"
    case cannotOpen = "cannot_open"
    case cannotScrub = "cannot_scrub"
    case changedWhileRead = "changed_while_read"
    case checksumMismatch = "checksum_mismatch"
    case closed
    case codingNotSupported = "coding_not_supported"
    case conditionNotSupported = "condition_not_supported"
    case conflictingPaths = "conflicting_paths"
    case connectionLost = "connection_lost"
    case corrupt
    case crossDevice = "cross_device"
    case crossSite = "cross_site"
    case damaged
    case decoderCrashed = "decoder_crashed"
    case decoderTimedOut = "decoder_timed_out"
    case deleted
    case differentStores = "different_stores"
    case diskFull = "disk_full"
    case duplicate
    case emptyFile = "empty"
    case emptyPost = "empty_post"
    case engine
    case exists
    case folderVanished = "folder_vanished"
    case foreignHost = "foreign_host"
    case hardLinked = "hard_linked"
    case headTooLarge = "head_too_large"
    case indexNotDefined = "index_not_defined"
    case intakePaused = "intake_paused"
    case `internal`
    case invalidJSON = "invalid_json"
    case invalidKey = "invalid_key"
    case invalidNamespace = "invalid_namespace"
    case invalidPath = "invalid_path"
    case invalidQuery = "invalid_query"
    case invalidRules = "invalid_rules"
    case invalidValue = "invalid_value"
    case invitationElsewhere = "invitation_elsewhere"
    case invitationExpired = "invitation_expired"
    case invitationUnknown = "invitation_unknown"
    case invitationUsedUp = "invitation_used_up"
    case invitationWithdrawn = "invitation_withdrawn"
    case io
    case isolationUnavailable = "isolation_unavailable"
    case jobRunning = "job_running"
    case keyReused = "key_reused"
    case leftOver = "left_over"
    case lengthChanged = "length_changed"
    case malformedRequest = "malformed_request"
    case methodNotAllowed = "method_not_allowed"
    case missingUpdates = "missing_updates"
    case moderationRefused = "moderation_refused"
    case moderationUnavailable = "moderation_unavailable"
    case noData = "no_data"
    case noService = "no_service"
    case notAllowed = "not_allowed"
    case notBackup = "not_a_backup"
    case notConsented = "not_consented"
    case notEncrypted = "not_encrypted"
    case notFound = "not_found"
    case notMember = "not_member"
    case oneself
    case originalDamaged = "original_damaged"
    case originalDropped = "original_dropped"
    case originalMissing = "original_missing"
    case outOfMemory = "out_of_memory"
    case overflow
    case permission
    case permissionDenied = "permission_denied"
    case preconditionFailed = "precondition_failed"
    case protocolVersion = "protocol_version"
    case rangeNotSatisfiable = "range_not_satisfiable"
    case quotaExceeded = "quota_exceeded"
    case readOnly = "read_only"
    case resnapshot
    case restoreUnfinished = "restore_unfinished"
    case rulesUnreadable = "rules_unreadable"
    case shuttingDown = "shutting_down"
    case sideTooLong = "side_too_long"
    case locked = "storage_locked"
    case storageMissing = "storage_missing"
    case takenOver = "taken_over"
    case timedOut = "timed_out"
    case tokenTooOld = "token_too_old"
    case tokenUnknown = "token_unknown"
    case tooDeep = "too_deep"
    case upgradeRequired = "upgrade_required"
    case updateTooLarge = "too_large"
    case tooLarge = "too_large_bytes"
    case tooManyBytes = "too_many_bytes"
    case tooManyConnections = "too_many_connections"
    case tooManyFrames = "too_many_frames"
    case tooManyFiles = "too_many_open_files"
    case tooManyPhotos = "too_many_photos"
    case tooManyPixels = "too_many_pixels"
    case tooManyReads = "too_many_reads"
    case tooManyRequests = "too_many_requests"
    case tooManyScans = "too_many_scans"
    case tooManyUploads = "too_many_uploads"
    case tooManyWrites = "too_many_writes"
    case tooMuchGarbage = "too_much_garbage"
    case tooMuchMemory = "too_much_memory"
    case tooSlow = "too_slow"
    case treeLost = "tree_lost"
    case treeOlder = "tree_older"
    case truncated
    case unavailable
    case unknown
    case unknownUser = "unknown_user"
    case unreachable
    case unreadable
    case unsupportedFormat = "unsupported_format"
    case unsupportedType = "unsupported_type"
    case upgradeReturning = "upgrade_returning"
    case upgradeUnconfirmed = "upgrade_unconfirmed"
    case uploadExpired = "upload_expired"
    case versionNotSupported = "version_not_supported"
    case workerKilled = "worker_killed"
    case workerUnavailable = "worker_unavailable"
    case writeTooLarge = "write_too_large"
    case wrongKind = "wrong_kind"
    case wrongOffset = "wrong_offset"
    case wrongState = "wrong_state"

    /// Creates the code with a name; `unknown` for names that this version does not define.
    package init(named name: String) {
        self = ErrorCode(rawValue: name) ?? .unknown
    }

    package init(from decoder: any Decoder) throws {
        self.init(named: try decoder.singleValueContainer().decode(String.self))
    }
}
