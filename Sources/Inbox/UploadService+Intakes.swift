package import Logging
package import Pipeline
package import Store

extension UploadService {
    /// Puts the pipeline together with the intakes that there are: the inbox, and the socket.
    package convenience init(
        storage: StorageFolder, settings: PipelineSettings, renderer: any PhotoRenderer = InProcessRenderer(),
        moderator: Moderator? = nil, auditedBy rules: [TreeRule] = [], logger: Logger
    ) {
        self.init(
            storage: storage, settings: settings, renderer: renderer, moderator: moderator, auditedBy: rules,
            logger: logger
        ) { settings in
            IntakeHandlers(
                inbox: InboxIntake(storage, settings: settings, logger: logger), socket: HTTPIntake(storage),
                putAside: FailedFilesOfService(storage))
        }
    }
}
