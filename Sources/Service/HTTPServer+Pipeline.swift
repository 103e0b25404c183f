package import Server

extension HTTPServer.Parts {
    /// The parts of a pipeline that the server makes available.
    package init(_ pipeline: Pipeline) {
        self.init(
            storage: pipeline.storage,
            disk: pipeline.disk,
            settings: pipeline.shared,
            store: pipeline.store,
            receiver: pipeline.receiver,
            files: pipeline.files,
            resumable: pipeline.resumable,
            objects: pipeline.objects,
            quotas: pipeline.quotas,
            scheduler: pipeline.scheduler,
            publisher: pipeline.publisher,
            index: pipeline.index,
            restrictions: pipeline.restrictions,
            moderation: pipeline.moderation,
            expiry: pipeline.expiry,
            unclaimed: pipeline.unclaimed,
            usage: pipeline.usage,
            jobs: pipeline.jobs,
            leftovers: pipeline.leftovers,
            batches: pipeline.batches,
            tools: pipeline.tools,
            jobSlot: pipeline.jobSlot,
            auditTools: pipeline.auditTools,
            auditSlot: pipeline.auditSlot,
            report: pipeline.report)
    }
}
