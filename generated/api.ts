// Generated from openapi.yaml by `npm run generate`. Edit that file instead.

export interface paths {
    "/v1/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ingest signals
         * @description Stores one reading and returns the resulting state of its session. The reading is durable before the response
         *     is sent. Within a session, the newest value of each signal counts until it goes stale: a heart rate from now
         *     and a sentiment from ten seconds ago are fused.
         *
         *     **Ingest is idempotent.** Resending an identical body (equal JSON, same session) returns the original response
         *     and changes nothing, for as long as its timestamp is accepted. Two different bodies with the same timestamp are
         *     two readings.
         *
         *     **Late readings**, for example an utterance stamped when it was spoken, update those signals for which they are
         *     the newest. A reading that is the newest for no signal is added to the history and changes nothing else.
         *
         *     **Backfill.** With `"backfill": true`, a reading may be as old as the retention of readings. It changes the history
         *     and the person's baseline, but not the current state, and causes no event. The response contains the state at the
         *     time of the reading. Details, also of limits, are in the guide on batches (`/docs/batches`).
         *
         *     **Erasure.** A live conversation turn (both texts, without `backfill`) with a `timestamp` at or before the erasure
         *     of its person is a 409 (`subject_erased`), so that a late request does not bring the person back. Other readings
         *     start without earlier data.
         */
        post: operations["ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ingest many readings
         * @description Stores up to 1,000 readings of any sessions of the account, for gateways, imports and devices that were offline.
         *     With `Content-Type: application/json`, the body is an array of readings. With `application/x-ndjson`, it has one
         *     reading per line, and empty lines are skipped. Without a `Content-Type`, or with `text/plain`, which some clients
         *     add, a body that begins with `[` is read as an array and one that begins with `{` as lines. Limits and results are the same: each reading is as in
         *     `POST /v1/ingest` and at most 4,096 bytes. The readings of a session are applied in their order. Accepted readings
         *     are durable before the response is sent.
         *
         *     Below, a line is a reading in either form. In an array, `line` is the position of the reading, from 1.
         *
         *     **Each line has its own result**, in the order of the lines, with the status, and the state or the error that
         *     `POST /v1/ingest` would return. An invalid or rejected line never affects another line. A response of 200 may
         *     therefore contain rejected lines: check `rejected`.
         *
         *     **Each line is idempotent.** If the response is lost, send the same body again. Lines that are already stored
         *     return their original result and change nothing.
         *
         *     **Limits** count each line as a request of its session and as a call of the month. A line with `backfill` counts
         *     only as a call of the month, unless it is sent with a session token. A line above a limit gets the status 429. If the month's quota is already used up, the
         *     whole request gets a 429.
         *
         *     A session token may only send lines of its own session and subject. Other lines get the status 401.
         */
        post: operations["ingestBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get state
         * @description Returns the state as of the newest reading of a session or of a person. A person's newest reading is the one with
         *     the newest timestamp over all sessions of the person. Of equal timestamps, the one that was accepted last counts.
         *     Readings with `backfill` do not count for a person. The score does not decay while no reading arrives:
         *     `confidence` falls with the age of the state, from 5 s on, to 0 after 300 s. A fact counts from the next reading on. `topics_detected` is empty, and `text_analysis` and `safety` are absent, because they belong to the
         *     request that carried the text.
         *
         *     A token reads a person only if its `subject_id` is this person. `session_id` is then the session of the token.
         */
        get: operations["getState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get history
         * @description Returns the datapoints of the last `minutes` minutes, oldest first, with trend and summary. With `until`, the window
         *     ends at that time instead of now. A known session without readings in the window returns 200 with no datapoints.
         *     An unknown session returns 404. The same holds for a person, whose datapoints are those of all sessions of the person.
         *
         *     A token reads a person only if its `subject_id` is this person. Datapoints of other sessions than that of the token
         *     then have no `session_id`.
         */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Returns the account's sessions with their latest state. The session that started last comes first, 50 per
         *     page. Continue with `next_cursor` until it is null. New readings do not change the order, so the pages contain
         *     every session once. A session expires 192 hours after its last reading, or after the time that the deployment
         *     sets. A filter value that does not exist returns an empty list.
         *
         *     **Snapshots.** With `state`, `sort=score` or `sort=activity`, the pages are a snapshot. All of them show the
         *     sessions as of the first page, in the same order, also if scores change in between. They contain every session
         *     once, except sessions that expire or are erased in between. `as_of` is the time of the snapshot, and `states`
         *     counts its sessions by state. A snapshot covers the 10,000 sessions that started last and have a stored reading
         *     that was not backfilled.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Sends readings and state changes as Server-Sent Events while they are stored. The first event is `ready`. A
         *     `reading` contains a `StateReading`, a `state_change` contains a `StreamedStateChange`. With `subject_id`, the stream covers
         *     all sessions of this person. Without both, it covers all sessions of the account, or the session of the token.
         *
         *     Every event has an `id`. A client that reconnects with the last `id` gets every later event exactly once, for
         *     as long as readings are stored. `EventSource` does this automatically. The order of events is the order in
         *     which the service accepted the readings. A comment every 15 seconds keeps the connection open. The service
         *     ends a stream at its shutdown, when its client does not read, when its key or token becomes invalid, and when
         *     the person, or the subject of its session, is erased. A stream counts as one call.
         *
         *     A token streams a person only if its `subject_id` is this person. A `reading` of another session then has the
         *     `session_id` of the token, and a `state_change` of another session is not sent.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export readings
         * @description Returns stored readings with every field that was accepted and computed, of one session, one subject or the
         *     whole account. A token exports its own session, or with `subject_id` the person who is signed into it. Rows of other
         *     sessions than that of the token then have no `session_id`. Texts are never stored, so they are not in an export.
         *
         *     `format=ndjson` (default) has one JSON object per line (`ExportedReading`). With a key, its `reading` is a valid body of
         *     `POST /v1/ingest`. `format=csv` has a header row and one row per reading for spreadsheets.
         *
         *     **Order.** Readings are in the order in which the service accepted them. The export contains the readings that
         *     were accepted before the request. Two exports of unchanged data are equal byte for byte.
         *
         *     **Resume.** Every row has a `cursor`. If the connection breaks, request the same export with the `cursor` of the
         *     last complete row: it continues after this row. An export of CSV with a `cursor` has no header row. A later
         *     request with the last `cursor` returns the readings since then. The `cursor` is also the id of the reading's
         *     event: a stream that continues after it misses no reading.
         *
         *     The response is streamed and its size is not limited. An export that the service cannot complete ends without
         *     the last chunk, which clients report as an error. An export counts as one call.
         */
        get: operations["exportReadings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create session token
         * @description Issues a token for one session, for code that must not hold a key: browsers and apps. Send it as
         *     `Authorization: Bearer …` to ingest (scope `ingest`), feedback (scope `feedback`), state, history, stream and export
         *     (scope `read`). Every other operation or session responds with 401. The token expires after `expires_in` seconds,
         *     or when the key that issued it is revoked or expires. The session may be without data. The networks of the key do
         *     not apply to its tokens.
         *
         *     **Readings name the token's person only.** A reading may contain the `subject_id` of the token, or the one that its
         *     session is bound to. Any other `subject_id` gets 401. A reading without one has the `subject_id` of the token.
         *     After the erasure of a person, earlier tokens can send no reading for this person or for the erased sessions: 401.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List source keys
         * @description Returns the newest 500 source keys of the account that are valid, or all of a person, without the keys themselves. `last_post` says what the newest request contained, which few apps show.
         */
        get: operations["listSourceKeys"];
        put?: never;
        /**
         * Create source key
         * @description Creates a key with which one app writes data of one person. The key is shown only in this response. It ends when it
         *     expires or is removed, when the person is erased, and when the key that created it expires or is revoked. After a
         *     rotation, it belongs to the successor. A person may have 20 source keys.
         *
         *     For a hub (`open_wearables`, `terra`, `junction`), send `signing_secret` instead of `subject_id`. The response then has
         *     no `key`: the hub posts to `/v1/sources/{source}/{id}` and signs each body. An account may have 20 such connections.
         */
        post: operations["createSourceKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove source key
         * @description Ends a source key. A later request with it gets 401. Stored readings stay.
         */
        delete: operations["removeSourceKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{source}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post from a phone
         * @description Stores what an app measured, in the app's own format: nothing has to be converted. The person is the one of the
         *     source key. The guide on phones (`/docs/connect-a-phone`) shows how to set up each app.
         *
         *     **Hubs.** The path of a hub ends in the id of its connection, which is no secret. The hub signs each body: Open Wearables
         *     and Junction as Svix does (`svix-id`, `svix-timestamp`, `svix-signature`), Terra with `terra-signature`. The person is
         *     the id that the hub knows: `data.user_id` of Open Wearables, `reference_id` of Terra, `client_user_id` of Junction.
         *     It must be known here: by data, a consent or a source key. Several events may stand in an array.
         *
         *     **What is stored.** Samples of the last 300 s are live: each is a reading at its own time, which moves the state.
         *     Older samples become one reading per minute and kind of signal, as an import stores them. They change history
         *     and summaries, and not the current state. The session is that of the person and UTC day. Of several devices in a
         *     minute, the most accurate one counts. A workout or night is a fact: it counts for readings before and after its arrival.
         *
         *     **Sending again is harmless.** A reading that adds nothing is counted in `unchanged`. The samples of a minute are
         *     united by their times, so parts may arrive in any order, and a field that a later body lacks stays. Of samples without
         *     times, the body with more of them counts. A reading of a service key, e.g. a file import, precedes those of sources.
         *
         *     **Responses.** A body of the right form gets 200, also if nothing of it was usable: `skipped` has the number of
         *     samples by reason. A request is one call of the month, and each newly stored reading is another one. One post of a
         *     person is processed at a time and eight wait. A further one gets a 429.
         */
        post: operations["submitSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get triggers
         * @description Returns the topics of this person's concerns, with the stress that was measured with each topic. Send
         *     conversation turns to `ingest` (`user_message`, `ai_response` and `subject_id`). The service reads their text
         *     in memory and never stores it.
         *
         *     A topic is sighted only if the person describes a concern of their own, also in a calm turn. The guide on Trigger
         *     Memory (`/docs/trigger-memory`) states when a topic becomes `active` or `resolved`.
         */
        get: operations["getTriggers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get subject
         * @description Returns what the service has learned about a person across sessions: the baseline, e.g. the resting heart rate,
         *     and the status changes of the person's topics.
         *     A reading of this person is compared with the baseline as of the time of the request. Baseline and topics are
         *     stored until the subject is erased. They contain no text, because texts are never stored.
         *
         *     The guide on exports (`/docs/export`) lists the requests that answer a person who requests access to their data.
         */
        get: operations["getSubject"];
        put?: never;
        post?: never;
        /**
         * Delete subject
         * @description Erases the subject's triggers, baseline, summaries, feedback, sessions and their history. Also erases the events and deliveries of
         *     all of its sessions, including expired sessions, and removes webhooks for the person and for these sessions. The
         *     data is invisible as soon as the erasure begins. Readings that arrive in the meantime start without earlier data. Live
         *     conversation turns with a `timestamp` at or before the erasure are rejected (`subject_erased`). The
         *     response is sent when all data is erased. If the service stops before, it completes the erasure after its
         *     restart. Store the `receipt`, because the service does not.
         */
        delete: operations["deleteSubject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/triggers/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete trigger
         * @description Removes one topic of a person, for example because the person says that it is wrong. The readings of the person
         *     remain. The next turn about the topic is its first sighting.
         */
        delete: operations["deleteTrigger"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get consent
         * @description Returns the newest version of the person's consent. Readings are checked against it only if the account enforces
         *     consent.
         */
        get: operations["getConsent"];
        /**
         * Record consent
         * @description Records what a person allows, as a new version that replaces the earlier ones. Every version is stored until the
         *     subject is erased. Sending the newest version again changes nothing.
         *
         *     **Enforcement.** The operator sets the mode of an account: `off` (default), `record` or `enforce`. With `off`,
         *     this request is rejected. With `enforce`, a signal is neither scored nor stored unless the person allows its
         *     category. The response to the reading lists it in `signals_dropped`. A reading without a subject, without a
         *     valid consent or without any signal left is rejected (`consent_required`). Texts are not analyzed unless the
         *     person allows `textual`.
         *
         *     **Withdrawal.** Send fewer categories, or none. After the response, no later reading uses a withdrawn category.
         *     Its current values and the baseline are deleted. Readings, summaries and queued deliveries from before the
         *     withdrawal remain until their retention ends or the subject is erased.
         *
         *     **Order.** The decision with the latest `event_time` counts, and a withdrawal wins in doubt. It is recorded at the
         *     `event_time` of the recorded decision too, and also if the recorded `event_time` is ahead of the service's clock.
         *     If such a decision adds a category or a later end, this part is not recorded. A decision that only allows more
         *     requires a later `event_time`. It may be ahead of the service's clock, up to 60 s, only for the first decision, or
         *     if the recorded `event_time` was as far ahead. Otherwise it is a 409 `consent_outdated`, also when it is sent
         *     again later.
         *
         *     **Work and education.** A consent for these contexts may not contain biometric categories, unless the account
         *     states a medical or safety purpose. Details are in the guide on consent (`/docs/consent`).
         */
        put: operations["putConsent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/consent/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions of a consent
         * @description Returns all versions of the person's consent, newest first. They are stored until the subject is erased. Continue
         *     with `next_cursor` until it is null.
         */
        get: operations["listConsentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get summary
         * @description Returns the hours or days of a person, oldest first: how long each state lasted, and the means and extremes of
         *     the score and of the heart rate. Hours stay readable after their readings expire: 90 days, or the time that the
         *     deployment sets. A deployment that stores no hours summarizes the stored readings.
         *
         *     **Counting.** A reading counts in the hour of its `timestamp`. Its state counts until the next reading of the
         *     person, at most 300 seconds, and never beyond the time of the request. No second counts twice, also where
         *     sessions overlap. A state that lasts beyond the end of an hour counts in both hours. Backfilled and late readings
         *     count like all others. Readings of sessions without a `subject_id` do not count.
         *
         *     **Range.** The range is extended to whole hours or days. Hours and days without data have no row.
         *
         *     **Days.** A day consists of the UTC hours that begin on the local date. In a time zone whose offset is not a whole
         *     hour, a day begins with the first UTC hour after local midnight.
         *
         *     **Pages.** A page covers at most 1,000 hours or days, and may have fewer rows. Continue with `next_cursor` until
         *     it is null, with the same parameters.
         */
        get: operations["getSubjectSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List links
         * @description Returns the links of a person that are valid, without their URLs. The list is empty for an unknown person.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Create link
         * @description Creates a link to a page for one person: today, the week, topics, what is collected and who read it. The link contains
         *     no key. The person opens it once, within 24 hours, with a tap. The page then works in this browser until
         *     `expires_at`. A preview of the link opens nothing.
         *
         *     **Grants.** By default, the page only reads. Each further grant allows one kind of change, and the key requires its
         *     scopes. `withdraw` and `erase` work for 15 minutes after the link was opened.
         *
         *     **End.** A link ends when it is removed or the person is erased, and with its key. Its streams, and the source keys
         *     that the person made through it, end within a second. When a link expires, these source keys stay.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/links/{link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove link
         * @description Ends a link within a second, with its streams and the source keys that the person made through it. Stored readings stay.
         */
        delete: operations["removeLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/accesses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accesses
         * @description Returns who read, exported or erased this person's data, newest first. An entry means one or more requests of a key
         *     in a minute. It appears within a second after the first of these requests.
         *
         *     A request for all people of the account has `scope` `account` and is in every person's list. Requests that send
         *     data are not listed.
         *
         *     Entries are kept for 365 days, or the time that the deployment sets. An erasure of the person deletes the link
         *     between the person and the entries.
         */
        get: operations["listAccesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipt-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List receipt keys
         * @description Returns the public keys that verify deletion receipts, newest first, as a JSON Web Key Set (RFC 7517). Requires no
         *     API key, because whoever has a receipt may verify it. Keep a copy: a receipt can then be verified offline. The list is
         *     empty before the first erasure.
         */
        get: operations["listReceiptKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subjects/{subject_id}/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Agreement of a person
         * @description Returns how well the published score agrees with the reports of this person. The fields are those of
         *     `GET /v1/agreement`, which describes them. Reports of one day (UTC) are one group, because they are not
         *     independent.
         */
        get: operations["getSubjectAgreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List devices
         * @description Returns the devices of a person, newest first, with the time of their newest reading. The source keys of the person are
         *     among them, with the `source` of their app: they post to `POST /v1/sources/{source}`, and their id is no `device_id` of
         *     a reading. The list is empty for an unknown person.
         */
        get: operations["listDevices"];
        put?: never;
        /**
         * Create device
         * @description Names a device of a person. It then sends readings with `device_id` instead of `session_id`, to `POST /v1/ingest` and
         *     in batches. The service knows the person, sets `source_device` to the `device_id`, and keeps one session per UTC day of
         *     the timestamp: `<device_id>-<day>`. The first reading of a day continues the session of the day before if it is at
         *     most 300 s newer than that session: its state, and the event of a change.
         *
         *     The same person and name again return the device that exists, with 200. A person may have 100 devices.
         */
        post: operations["createDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get device
         * @description Returns a device, also a source key of a person, with the time of its newest reading.
         */
        get: operations["getDevice"];
        put?: never;
        post?: never;
        /**
         * Remove device
         * @description Removes a device: within a second, its readings are rejected. Of a source key, it ends the key, as
         *     `DELETE /v1/source-keys/{id}` does. Stored readings stay. The connection of a hub is no device.
         */
        delete: operations["removeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/facts/{fact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put fact
         * @description Stores what happened to a person in an interval, for example a workout. What counts at a time is what a reading itself
         *     states (`activity_level`), otherwise the facts that cover it, otherwise its steps. The order of arrival does not matter:
         *     readings that are stored already are scored again, each from its own values, before the response is sent. This
         *     changes history, summaries that are not stored yet and export, and no event, trigger, baseline or current state. The next
         *     reading follows a fact that covers the present.
         *
         *     `not_worn`, `other_person` and `invalid` mean that readings in the interval are no evidence: of `not_worn` the heart
         *     data, of the others everything. A fact with the same `fact_id` of the person is replaced, unless `revision` is lower:
         *     then nothing changes, and the response is the stored fact. A person has at most 10,000 facts. They expire as readings
         *     do. With enforced consent, a fact requires the category `movement`.
         *
         *     **Disputes.** On the page of a link with the grant `dispute`, a person states facts with the source `person`: of the past,
         *     at most 6 hours long, at most 20 in 24 hours. They precede other facts and what a reading states. Readings that they
         *     change keep the score that was published before (`scored_before`) until the fact is removed. Such a link
         *     changes and removes only these facts.
         */
        put: operations["putFact"];
        post?: never;
        /**
         * Delete fact
         * @description Removes a fact. Readings that it covers are scored again, as after `PUT`.
         */
        delete: operations["deleteFact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/facts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List facts
         * @description Returns the facts of a person that cover a part of the range, by `start`, up to 500 per page. Continue with `next_cursor` until it is null.
         */
        get: operations["listFacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List feedback
         * @description Returns the reports of the account or of a person, newest `timestamp` first, up to 500 per page. Continue with
         *     `next_cursor` until it is null. A person without reports has an empty list. An agreement can be computed again from
         *     this list.
         */
        get: operations["listFeedback"];
        put?: never;
        /**
         * Submit feedback
         * @description Stores how stressed a person was at one time, in the person's own words: a number and a code, never text. Send
         *     either `session_id` or `subject_id`. The report is durable before the response is sent.
         *
         *     **Published score.** The service copies the score that it has published for that time, with the version of the
         *     model, because readings are deleted earlier than feedback. With `subject_id`, the readings of all sessions of the
         *     person count. Without `duration_seconds`, it is the score of the newest reading up to `timestamp`, at most 300
         *     seconds earlier. With `duration_seconds`, it is the mean over the readings of that time. A score that the person
         *     disputed counts as it was published. `published` is absent if
         *     there is no such reading, and in the response to a session token without the scope `read` or, if the session has
         *     a person, without this person. The report never changes a score.
         *
         *     **Feedback is idempotent.** Resending an identical body returns the original response and changes nothing.
         *
         *     Feedback is stored for 365 days after its `timestamp`, or for the time that the deployment sets. A report of a
         *     session belongs to the person of the session, also if the session gets its `subject_id` later.
         *
         *     Browsers and apps send feedback with a session token of the scope `feedback` and the `session_id` of the token, or the
         *     `subject_id` that is signed into it.
         */
        post: operations["submitFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the agreement
         * @description Returns how well the published score agrees with the reports of people: the accuracy of this deployment on its own
         *     people. It covers the newest 10,000 reports. Only reports with a score of the current model version count.
         *
         *     **People.** Of one person, one report per minute and 60 per day (UTC) of their arrival count, the newest ones. Other
         *     reports are stored and listed. All people have the same weight, in the AUC and in each band, however many reports
         *     they have. `person_reports_max` shows if one person has sent most reports. A session without a person counts as one.
         *
         *     **AUC.** The probability that the score of a stressed report (`stress` of 5 or more) exceeds the score of a report
         *     that is not stressed. Ties count half. 0.5 is chance.
         *
         *     **Intervals.** All intervals are 95 % intervals. Reports of one person are one group, because they are not
         *     independent: the design effect of the groups (Obuchowski 1997, Korn and Graubard 1998, Kish 1965) widens the score
         *     interval of the AUC (Newcombe 2006, method 5) and the interval of a share (Wilson 1927).
         *
         *     **Not enough reports.** Below 20 reports, 5 stressed reports, 5 reports that are not stressed or 5 people, `status`
         *     is `not_enough_reports` and `auc` is absent. An account with fewer people reads the agreement per person.
         *
         *     The reports never change a score.
         */
        get: operations["getAgreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alert rules
         * @description Returns all alert rules of the account, oldest first.
         */
        get: operations["listAlertRules"];
        put?: never;
        /**
         * Create alert rule
         * @description Creates a rule that watches people. When its condition is true for a person, the service sends one `alert` event to the
         *     webhooks of the account whose `events` contain `alert`, and that watch this person or everyone. An equal rule that
         *     exists is returned with 200, so that a request can be sent again.
         *
         *     **When.** A rule fires within a minute, and at most once per hour and person. For no_data and
         *     trigger_active, it fires once each time that the condition becomes true. For stressed and above_usual, it fires again
         *     after an hour if the condition is still true. A condition that became true more than 24 hours ago fires no rule.
         *
         *     **Whom.** Erasing a person removes the person from the rules. A rule does not fire for a person whose newest consent
         *     allows nothing or has expired. Sessions without a `subject_id` belong to no rule.
         */
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove alert rule
         * @description Removes the rule. An alert that already fired is still delivered.
         */
        delete: operations["removeAlertRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register webhook
         * @description Sends later events of the kinds in `events` to `url`. State changes: with `session_id` those of the session, with `subject_id` those of all sessions
         *     of the person, and without both those of all sessions of the account. The response contains the secret that signs
         *     the deliveries. The secret is shown only once.
         *
         *     A webhook of a person receives the event of the reading that first names the person in its session. It receives
         *     earlier events of this session only if they are not yet distributed to webhooks, which usually takes at most 100 ms.
         *     The person may be unknown at the registration. Erasing the person removes the webhook.
         *
         *     Registering the same `url`, `session_id` and `subject_id` again returns 200 with the existing registration, without
         *     its secret. Two URLs are the same if the URL standard (WHATWG) normalizes them to the same request: the case of scheme
         *     and host, a default port, the notation of an address, and `.` and `..` in the path do not matter. The webhook
         *     keeps the `url` of its first registration. Registering again also enables a webhook that a 410 from the receiver
         *     has disabled. With `retry`, it changes the schedule of the webhook, for each delivery from its next attempt on.
         *     With `states`, it changes the states that later events are selected by. Its `events` replace those of the registration.
         *
         *     `alert` and `trigger_active` are events of people: of one with `subject_id`, otherwise of all people of the account. A
         *     webhook with `session_id` cannot receive them.
         *
         *     **Allowed targets** are public https URLs, unless the deployment allows more: see the guide (`/docs/webhooks`). The
         *     service checks the address at registration and at each connection. A name that does not resolve yet is accepted.
         */
        post: operations["registerWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns all webhooks of the account, oldest first, without their secrets. Each entry shows the health of its receiver: consecutive failures,
         *     the newest failure and success, and the number of queued deliveries.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove webhook
         * @description Removes the webhook, its queued deliveries and its failed deliveries. No further events are sent to it.
         */
        delete: operations["removeWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate secret
         * @description Issues a new secret, which is shown only once. For 24 hours, deliveries are signed with both the new and the
         *     previous secret, so that a receiver can switch without rejecting a delivery. A second rotation within these 24
         *     hours returns 409, because it would end the previous secret early.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test webhook
         * @description Queues a signed sample event of the session `webhook-test`, which is retried like any other delivery. If it
         *     fails, it is listed among the failed deliveries under the returned id.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/retries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List failed deliveries
         * @description Returns the deliveries whose last retry failed, newest first, 50 per page. Continue with `next_cursor` until it
         *     is null. Failed deliveries are kept for 7 days by default. A filter value that does not exist returns an empty list.
         *     `sort` selects whether the newest failures or the newest events come first.
         */
        get: operations["listFailedDeliveries"];
        put?: never;
        /**
         * Retry deliveries
         * @description Queues failed deliveries again. `delivery_ids` selects deliveries by id. `webhook_id` selects at most the
         *     newest 1,000 failed deliveries of a webhook, with `since` only deliveries that failed at or after this time. A
         *     retried delivery keeps its `webhook-id`, gets a new schedule, is sent immediately, and is exempt from the
         *     order of its session. Ids that are not listed as failed are ignored. The response lists the queued ids.
         *
         *     With `ordered: true`, the deliveries of each session are sent in the order of their events
         *     (`payload.timestamp`). Each is sent when the previous one is delivered or has failed again. They go before the
         *     events of the session that are still queued, and later events wait for them. `webhook_id` then selects the
         *     1,000 oldest events, and `since` applies to the time of the event. For more than 1,000 failed deliveries, repeat
         *     the request.
         */
        post: operations["retryDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Returns the delivery log: delivered and failed deliveries, newest first, 50 per page. Continue with
         *     `next_cursor` until it is null. The log keeps a delivery for 7 days by default. If no delivery matches the filters, the
         *     list is empty. With `status` pending, it returns the deliveries that are still queued, and `since` is the time of the event.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get delivery
         * @description Returns a pending, delivered or failed delivery of a state change by its `webhook-id`. The log keeps a settled delivery
         *     for 7 days by default. The lists contain the deliveries of other kinds of events, in `event_deliveries`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Returns 200 while the process serves requests. It does not query the database.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Returns 200 when the database responds, its migrations are current and it accepts writes. Otherwise returns 503,
         *     and `detail` names the cause. The database counts as not writable, e.g. read-only or full, when the writes of this
         *     process have failed for 10 s and none succeeded. The check then tries a write itself, at most once per second, so
         *     that the process becomes ready again without requests.
         *
         *     Returns 503 from the first moment of a shutdown, while the service still serves other requests, so that load
         *     balancers stop sending requests to it.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description An identifier that the client creates. Visible ASCII without spaces, so that URLs, logs and databases preserve it.
         *     Not `.` or `..`, which URLs remove from paths. 256 characters are enough for any hash or UUID.
         * @example demo-session
         */
        Identifier: string;
        /**
         * Format: date-time
         * @description RFC 3339 date-time in UTC, with millisecond precision.
         * @example 2026-11-21T09:30:00.000Z
         */
        Instant: string;
        /**
         * @description Heart rate. A value outside the bounds is a sensor error.
         * @example 96
         */
        HeartRate: number;
        /**
         * @description Standard deviation of normal-to-normal beat intervals over the last minutes.
         * @example 28
         */
        Sdnn: number;
        /**
         * @description Root mean square of successive differences of normal-to-normal beat intervals over the last minutes. Most wearables report it. One piece of evidence with `sdnn`.
         * @example 24
         */
        Rmssd: number;
        /**
         * @description Breaths per minute. Stored only.
         * @example 16
         */
        RespiratoryRate: number;
        /**
         * @description Temperature of the skin in degrees Celsius. Stored only.
         * @example 33.1
         */
        SkinTemperature: number;
        /**
         * @description Electrodermal activity, as the conductance of the skin in microsiemens. Stored only.
         * @example 4.2
         */
        ElectrodermalActivity: number;
        /**
         * @description Oxygen saturation of the blood in percent. Stored only.
         * @example 97
         */
        BloodOxygen: number;
        /**
         * @description Share of successive beat intervals that differ by more than 50 ms, in percent. Stored only.
         * @example 12.5
         */
        Pnn50: number;
        /**
         * @description Mean of the beat intervals in the window of the sensor, in milliseconds. The bounds are those of `rr_intervals_ms`. Stored only.
         * @example 810
         */
        MeanInterval: number;
        /**
         * @description Number of beat intervals in the window of the sensor. The maximum exceeds the beats of two days. Stored only.
         * @example 74
         */
        IntervalCount: number;
        /**
         * @description Words per minute, as measured by the client's voice analysis. Fast talkers reach 600. Stored only.
         * @example 168.5
         */
        SpeechRate: number;
        /**
         * @description Variation of the fundamental frequency of the voice, in hertz. The voice itself stays below 1,000 Hz. Stored only.
         * @example 42.3
         */
        PitchVariability: number;
        /**
         * @description Direction of the gaze, as labeled by the client's image analysis. Stored only.
         * @example averted
         * @enum {string}
         */
        Gaze: "direct" | "averted" | "downward" | "wandering";
        /**
         * @description Posture of the body, as labeled by the client's image analysis. Stored only.
         * @example slouched
         * @enum {string}
         */
        Posture: "upright" | "leaning_forward" | "leaning_back" | "slouched";
        /**
         * @description Visual engagement, from 0 (none) to 1 (full), as rated by the client's image analysis. Stored only.
         * @example 0.35
         */
        Engagement: number;
        /**
         * @description Glucose in milligrams per deciliter. The bounds are those of continuous glucose monitors. Stored only.
         * @example 95
         */
        GlucoseMgDl: number;
        /**
         * @description Glucose in millimoles per liter. Not converted to `glucose_mg_dl`, or from it. Stored only.
         * @example 5.3
         */
        GlucoseMmolL: number;
        /**
         * @description Direction and speed of the change of the glucose. Stored only.
         * @example stable
         * @enum {string}
         */
        GlucoseTrend: "rapid_fall" | "falling" | "stable" | "rising" | "rapid_rise";
        /**
         * @description Power of the alpha band of the electroencephalogram (8 to 13 Hz), in square microvolts. Stored only.
         * @example 12.5
         */
        EegAlphaPower: number;
        /**
         * @description Power of the beta band of the electroencephalogram (13 to 30 Hz), in square microvolts. Stored only.
         * @example 28.3
         */
        EegBetaPower: number;
        /**
         * @description Power of the theta band of the electroencephalogram (4 to 8 Hz), in square microvolts. Stored only.
         * @example 9.1
         */
        EegThetaPower: number;
        /**
         * @description Cognitive load, from 0 (none) to 1 (full), as estimated by the client from the electroencephalogram. Stored only.
         * @example 0.72
         */
        CognitiveLoad: number;
        /**
         * @description Current or most recent stage of sleep, as labeled by the device. Stored only.
         * @example awake
         * @enum {string}
         */
        SleepStage: "awake" | "light" | "deep" | "rem";
        /**
         * @description Label of the measuring device, printable ASCII. Heart rate variability is compared per device, and the confidence is lower for ten minutes after the device of the heart data changes. The baseline of the person stores the label.
         * @example wrist watch
         */
        DeviceLabel: string;
        /**
         * @description Tone of voice, as labeled by the client's voice analysis.
         * @example tense
         * @enum {string}
         */
        Tone: "calm" | "focused" | "hesitant" | "tense" | "frustrated" | "anxious" | "hostile" | "excited" | "neutral";
        /**
         * @description Facial expression, as labeled by the client's image analysis.
         * @example frowning
         * @enum {string}
         */
        Expression: "relaxed" | "concentrated" | "frowning" | "smiling" | "tense" | "surprised" | "neutral";
        /**
         * @description Urgency of the user's text, as labeled by the client's text analysis. Weak evidence.
         * @example high
         * @enum {string}
         */
        Urgency: "low" | "medium" | "high" | "critical";
        /**
         * @description The person across sessions. Hash personal identifiers first. The first subject_id binds the session. Later readings may omit it. A different subject_id is rejected (`subject_mismatch`).
         * @example 5f2b51ca2b4d1a7e
         */
        SubmittedSubject: string;
        /**
         * Format: date-time
         * @description Time of measurement. RFC 3339 in UTC (`Z` or `+00:00`), stored with millisecond precision. It must be a real calendar date without a leap second, at most 300 s old and at most 60 s ahead. With `backfill`, it may be as old as the retention of readings.
         * @example 2026-11-21T09:30:00.000Z
         */
        ReadingTime: string;
        /**
         * @description Beat-to-beat intervals in milliseconds, oldest first. The last beat ends at `timestamp`. The service derives `heart_rate`, `sdnn` and `rmssd` from the intervals of the last five minutes where the reading does not state them. It ignores artifacts, and beats that an earlier reading already contained. The response contains `rr_quality`.
         * @example [
         *       812,
         *       798,
         *       805,
         *       821
         *     ]
         */
        BeatIntervals: number[];
        /**
         * @description Sentiment of the text, from -1 (negative) to 1 (positive). A word label is rejected.
         * @example -0.4
         */
        Sentiment: number;
        /**
         * @description Steps in the last minute. They explain a heart rate, and are not a signal.
         * @example 12
         */
        StepsLastMinute: number;
        /**
         * @description The sample that the reading states, for sources that send a sample again with a corrected value. A reading with the same
         *     `session_id`, `sample_id` and `timestamp` replaces the stored one, unless its `sample_revision` is lower or its body
         *     was stored before. A replacement changes history, summaries and export, and no state, event or trigger. The same
         *     `sample_id` with another `timestamp` is rejected. A session token cannot replace a reading.
         * @example hr-watch-2026-11-21T09:30
         */
        SampleId: string;
        /**
         * @description Revision of the sample, e.g. the number of measurements that it summarizes. 0 if absent. Of two readings of one sample, the higher revision counts, of equal ones the one that was stored later. One of a service key precedes those that a source posted. Requires `sample_id`.
         * @example 12
         */
        SampleRevision: number;
        /**
         * @description The user's utterance. Only the person's own words in it are judged, without fenced code, quoted replies, context blocks in tags, results of tools and task prompts; if none remain, the message counts as absent. Checked for safety, used for topic detection together with `ai_response` and for `derive_sentiment`, and never stored. At most 4,016 characters, because the shortest body with a longer text would exceed 4,096 bytes.
         * @example My review at work is tomorrow and I have not slept.
         */
        UserMessage: string;
        /**
         * @description The assistant's reply. Used for topic detection together with `user_message`, and never stored. At most 4,016 characters, because the shortest body with a longer text would exceed 4,096 bytes.
         * @example That sounds exhausting. What worries you most about it?
         */
        AiResponse: string;
        /**
         * @description True to estimate the sentiment of `user_message` if the reading does not state `sentiment`. The estimate counts
         *     as the textual signal, and the response contains it in `derived`. `user_message` is then enough for a reading.
         *     A text in another language or without known words gets no
         *     estimate, except with a finding (`safety`), which counts as the most severe words. If the field is absent, the setting `derive-sentiment` of the
         *     account applies, which is off unless the operator turns it on.
         * @example true
         */
        DeriveSentiment: boolean;
        /**
         * @description True for a reading of the past, e.g. from a device that was offline. Its `timestamp` may be as old as the retention of readings. It updates the history and the baseline, does not change the current state, and causes no event. Its text has no topics. It counts as a call of the month, but not as a request of its session, and it starts no new session for the limits. A resend is detected with and without this field.
         * @example false
         */
        Backfill: boolean;
        /**
         * @description One reading: the signals of a person at one time. At least one of `heart_rate`, `sdnn`, `rmssd`,
         *     `rr_intervals_ms`, `tone`, `expression`, `sentiment` and `urgency` is required (400 "Missing signals"
         *     otherwise). `activity_level` and `steps_last_minute` explain a heart rate. Fields with the description "Stored only"
         *     appear in the history and the export, and change no score. `source_device` names the device of the heart data.
         *     `user_message` and `ai_response` together require `subject_id`. With `derive_sentiment`, `user_message` is enough.
         *     A device of `POST /v1/devices` sends `device_id` instead of `session_id`, and neither `source_device` nor, for two texts,
         *     `subject_id`.
         */
        SignalSubmission: {
            session_id?: components["schemas"]["Identifier"];
            device_id?: components["schemas"]["DeviceId"];
            subject_id?: components["schemas"]["SubmittedSubject"];
            timestamp: components["schemas"]["ReadingTime"];
            heart_rate?: components["schemas"]["HeartRate"];
            sdnn?: components["schemas"]["Sdnn"];
            rmssd?: components["schemas"]["Rmssd"];
            rr_intervals_ms?: components["schemas"]["BeatIntervals"];
            tone?: components["schemas"]["Tone"];
            expression?: components["schemas"]["Expression"];
            sentiment?: components["schemas"]["Sentiment"];
            urgency?: components["schemas"]["Urgency"];
            activity_level?: components["schemas"]["ActivityLevel"];
            steps_last_minute?: components["schemas"]["StepsLastMinute"];
            respiratory_rate?: components["schemas"]["RespiratoryRate"];
            skin_temperature?: components["schemas"]["SkinTemperature"];
            eda?: components["schemas"]["ElectrodermalActivity"];
            spo2?: components["schemas"]["BloodOxygen"];
            pnn50?: components["schemas"]["Pnn50"];
            mean_ibi?: components["schemas"]["MeanInterval"];
            ibi_count?: components["schemas"]["IntervalCount"];
            speech_rate?: components["schemas"]["SpeechRate"];
            pitch_variability?: components["schemas"]["PitchVariability"];
            gaze?: components["schemas"]["Gaze"];
            posture?: components["schemas"]["Posture"];
            engagement?: components["schemas"]["Engagement"];
            glucose_mg_dl?: components["schemas"]["GlucoseMgDl"];
            glucose_mmol_l?: components["schemas"]["GlucoseMmolL"];
            glucose_trend?: components["schemas"]["GlucoseTrend"];
            eeg_alpha_power?: components["schemas"]["EegAlphaPower"];
            eeg_beta_power?: components["schemas"]["EegBetaPower"];
            eeg_theta_power?: components["schemas"]["EegThetaPower"];
            cognitive_load?: components["schemas"]["CognitiveLoad"];
            sleep_stage?: components["schemas"]["SleepStage"];
            source_device?: components["schemas"]["DeviceLabel"];
            sample_id?: components["schemas"]["SampleId"];
            sample_revision?: components["schemas"]["SampleRevision"];
            user_message?: components["schemas"]["UserMessage"];
            ai_response?: components["schemas"]["AiResponse"];
            derive_sentiment?: components["schemas"]["DeriveSentiment"];
            backfill?: components["schemas"]["Backfill"];
        };
        /**
         * @description NDJSON. Each line is a SignalSubmission.
         * @example {"session_id":"demo-session","timestamp":"2026-11-21T08:30:00.000Z","heart_rate":88,"backfill":true}
         *     {"session_id":"demo-session","timestamp":"2026-11-21T09:30:00.000Z","heart_rate":94.5}
         */
        ReadingLines: string;
        /**
         * @description An array of readings. An invalid reading only affects its own result.
         * @example [
         *       {
         *         "session_id": "demo-session",
         *         "timestamp": "2026-11-21T09:30:00.000Z",
         *         "heart_rate": 94.5
         *       }
         *     ]
         */
        ReadingArray: components["schemas"]["SignalSubmission"][];
        /** @description The result of each line of a batch. */
        BatchResult: {
            /**
             * @description Number of lines with the status 200.
             * @example 1
             */
            accepted: number;
            /**
             * @description Number of lines with another status.
             * @example 1
             */
            rejected: number;
            /** @description One result per line, in the order of the lines. */
            results: components["schemas"]["LineResult"][];
        };
        /** @description The result of one line. It has `state` if the status is 200, otherwise `error`. */
        LineResult: {
            /**
             * @description Number of the line in the body, or position of the reading in the array. The first one has the number 1. Skipped empty lines count.
             * @example 1
             */
            line: number;
            /**
             * @description The HTTP status that `POST /v1/ingest` would return for this line.
             * @example 200
             */
            status: number;
            /**
             * @description What happened to a reading with `sample_id` and the status 200. `unchanged`: its body was stored before, or its
             *     `sample_revision` is lower than the stored one. `state` is then that of the stored reading.
             * @example stored
             * @enum {string}
             */
            sample?: "stored" | "unchanged" | "replaced";
            state?: components["schemas"]["StateReading"];
            error?: components["schemas"]["LineProblem"];
        };
        /** @description Problem details of a rejected line. */
        LineProblem: {
            /**
             * Format: uri
             * @description The `code` as a URN. The guide on errors (`/docs/errors/#{code}`) states the cause and the fix.
             * @example urn:problem-type:realtime-state-service:validation_failed
             */
            type: string;
            /**
             * @description Name of the status.
             * @example Unprocessable Content
             */
            title: string;
            /**
             * @description The HTTP status of the line.
             * @example 422
             */
            status: number;
            /**
             * @description What is wrong, for people.
             * @example Input should be a valid number
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description The `X-Request-Id` of the response.
             * @example 01JD6Z7Q8N4W3V5K2M9T
             */
            request_id: string;
            hint?: components["schemas"]["Hint"];
            position?: components["schemas"]["JsonPosition"];
            /**
             * @description Maximum age of the timestamp. Only with `timestamp_too_old` and `feedback_too_old`.
             * @example 691200
             */
            max_age_seconds?: number;
            /** @description The first validation errors of a line with the status 422, at most 20 per line and 200 per response. Absent if the earlier lines have 200. */
            errors?: components["schemas"]["Fault"][];
            /**
             * @description Number of further validation errors that `errors` does not name. Absent if it names all.
             * @example 20
             */
            errors_omitted?: number;
            /**
             * @description The limits that a line with the status 429 exceeded.
             * @example [
             *       "session"
             *     ]
             */
            violated_policies?: components["schemas"]["LimitPolicy"][];
            /**
             * @description Seconds to wait before resending the line. Present if the status is 429 or 503.
             * @example 30
             */
            retry_after_seconds?: number;
        };
        /**
         * @description How much the person moves. It explains a heart rate, and is not a signal.
         * @example resting
         * @enum {string}
         */
        ActivityLevel: "resting" | "light" | "moderate" | "vigorous";
        /**
         * @description The band of the published score. calm 0-19, relaxed 20-39, focused 40-59, stressed 60-79, acute_stress 80-100.
         * @example stressed
         * @enum {string}
         */
        State: "calm" | "relaxed" | "focused" | "stressed" | "acute_stress";
        /**
         * Format: date-time
         * @description The timestamp of the reading from which on the state is unchanged. After 300 seconds without evidence, the next
         *     evidence starts a new state. Absent in the response to a token that does not name the person, while evidence of
         *     other sessions changes the state.
         * @example 2026-11-21T09:24:10.000Z
         */
        StateSince: string;
        /**
         * @description Version of the Human State Protocol that this schema follows.
         * @example 1.0
         * @enum {string}
         */
        HspVersion: "1.0";
        /**
         * @description Whether variability is derived from the intervals of the last five minutes. `unusable`: more than half of the intervals are
         *     artifacts, or neighbors differ more than in any healthy breathing rhythm. This describes the data, for example a
         *     loose strap, and not the heart.
         * @example usable
         * @enum {string}
         */
        RrQuality: "usable" | "unusable";
        /**
         * @description Version of the model that computed the score. Scores of different versions are not comparable. The changelog lists what each version changed.
         * @example 2
         */
        ModelVersion: number;
        /**
         * @description What an assistant should do in this state.
         * @example de-escalate_and_shorten
         * @enum {string}
         */
        SuggestedAction: "maintain_engagement" | "simplify_and_focus" | "de-escalate_and_shorten" | "pause_and_ground";
        /**
         * @description Category of a signal. cardiovascular (heart_rate, sdnn, rmssd), vocal (tone), visual (expression), textual (sentiment, urgency).
         * @example cardiovascular
         * @enum {string}
         */
        SignalCategory: "cardiovascular" | "vocal" | "visual" | "textual";
        /**
         * @description Name of a psychological topic, in snake_case.
         * @example work_performance
         */
        TopicName: string;
        /**
         * @description Published score, 0 (calm) to 100 (acute stress).
         * @example 73
         */
        StressScore: number;
        /**
         * @description Estimated probability, 0 to 1, that the score is on the right side of the edge between `relaxed` and `focused`. It grows with
         *     the distance from this edge, with what is known of the person's heart rate, and with signals that agree. It falls with the age of
         *     the newest signal, by half per minute after the first 5 s: responses to readings and stream events state it at the time of
         *     acceptance, `GET /v1/state` at the time of the request, the history and exports at the timestamp of the reading. Movement, an unconfirmed heart rate and a changed device lower
         *     it. It is checked on heart rate and words only.
         * @example 0.9
         */
        Confidence: number;
        /**
         * @description `none` if no signal counted when the reading was scored (`confidence` 0), e.g. a message that could not be read, or a heart rate
         *     that movement explains. The state is then unknown: `state` and `stress_score` are those of the last reading with evidence, or
         *     the neutral start. `weak` if all signals that counted are words with a sentiment of -0.05 to 0.05, and nothing in the message is
         *     a finding: silence is not calm. The confidence is then at most 0.3, and nothing is recommended. Score, events and summaries
         *     count as otherwise. Treat both values alike: no state is known. Absent otherwise, also for a state that is outdated.
         * @example none
         * @enum {string}
         */
        Evidence: "none" | "weak";
        /**
         * @description What a raised heart rate of a known person can mean while nothing else tells: no voice, words, face, variability or stated
         *     activity. What stress does not explain lowers `stress_score` towards `focused`, and `confidence`. Absent otherwise, for late,
         *     replaced and backfilled readings, and for states that an earlier release computed.
         */
        Raised: {
            /**
             * Format: date-time
             * @description Start of the rise. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:12:00.000Z
             */
            since: string;
            likely: components["schemas"]["RaisedCause"];
        };
        /**
         * @description The likely cause. `stress`: no steps for ten minutes, from a device that counts them. `exertion`: too high for stress alone.
         *     `recovery`: falling after exertion, stated or not. `all_day`: most of the day is raised. `waking`: during or soon after sleep. `unknown`: any of them. New values may be added.
         * @example unknown
         * @enum {string}
         */
        RaisedCause: "stress" | "exertion" | "recovery" | "all_day" | "waking" | "unknown";
        /**
         * @description Categories of the signals in the reading, as the Human State Protocol defines the field. A response covers all readings with its timestamp.
         * @example [
         *       "cardiovascular",
         *       "vocal"
         *     ]
         */
        SignalsReceived: components["schemas"]["SignalCategory"][];
        /**
         * @description One sentence that names the signals that determined the score.
         * @example Tense voice, frowning face, heart rate 20 bpm above a typical resting heart rate.
         */
        ActionReason: string;
        /**
         * @description One instruction that an AI agent can follow. Absent if no signal counts (`confidence` 0): the newest one is stale, or the
         *     state is unknown (`evidence` none or weak). `action_reason` then says why.
         * @example Answer in at most two short, concrete sentences, acknowledge the strain and ask for nothing that can wait.
         */
        Recommendation: string;
        /** @description The state of a session, in the format of the Human State Protocol 1.0. */
        StateReading: {
            hsp_version: components["schemas"]["HspVersion"];
            session_id: components["schemas"]["Identifier"];
            /**
             * @description The person, if `GET /v1/state` names one (`session_id` is then the session of the person's newest reading), and of each reading in a stream. Absent for a token that does not know the person.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            timestamp: components["schemas"]["Instant"];
            state: components["schemas"]["State"];
            stress_score: components["schemas"]["StressScore"];
            confidence: components["schemas"]["Confidence"];
            evidence?: components["schemas"]["Evidence"];
            raised?: components["schemas"]["Raised"];
            contributions?: components["schemas"]["Contributions"];
            without?: components["schemas"]["WithoutParts"];
            state_since?: components["schemas"]["StateSince"];
            signals_received: components["schemas"]["SignalsReceived"];
            suggested_action: components["schemas"]["SuggestedAction"];
            action_reason: components["schemas"]["ActionReason"];
            recommendation?: components["schemas"]["Recommendation"];
            model_version: components["schemas"]["ModelVersion"];
            baseline?: components["schemas"]["BaselineProgress"];
            adaptation_effectiveness?: components["schemas"]["AdaptationEffectiveness"];
            rr_quality?: components["schemas"]["RrQuality"];
            derived?: components["schemas"]["DerivedValues"];
            /**
             * @description Fields of the reading that the service discarded because the person has not consented to their category. They
             *     were neither scored nor stored, and a discarded text was not analyzed. Absent if there are none.
             * @example [
             *       "tone",
             *       "user_message"
             *     ]
             */
            signals_dropped?: string[];
            /**
             * @description Signals of other sessions of the same person that count in this state. Of each signal, the newest value of all
             *     sessions counts, until it is stale. Absent if there are none, and in the response to a session token.
             * @example [
             *       {
             *         "signal": "heart_rate",
             *         "session_id": "watch",
             *         "timestamp": "2026-11-21T09:29:58.000Z"
             *       }
             *     ]
             */
            shared_signals?: components["schemas"]["SharedSignal"][];
            /**
             * @description Topics of the concern that the user describes in this request's conversation turn. A turn without a concern names only topics that are active or resolved for this person. Empty if there are none, if the request has no turn, if the message is not in English, or if the response has `safety`.
             * @example []
             */
            topics_detected: components["schemas"]["TopicName"][];
            text_analysis?: components["schemas"]["TextAnalysis"];
            safety?: components["schemas"]["SafetyFinding"];
            safety_source?: components["schemas"]["SafetySource"];
            /**
             * @description Topics that currently go with more stress of this person, most recently seen first. Topics with the same time are sorted by name. Present when the subject is known.
             * @example [
             *       "work_performance"
             *     ]
             */
            active_triggers?: components["schemas"]["TopicName"][];
            /**
             * @description Topics that no longer go with more stress of this person, most recently seen first. Topics with the same time are sorted by name. Present when the subject is known.
             * @example [
             *       "exams"
             *     ]
             */
            resolved_triggers?: components["schemas"]["TopicName"][];
            /**
             * @description Limitations of the score.
             * @example Not a medical device. Scores are estimates for adapting software and must not be used for diagnosis or treatment.
             */
            disclaimer: string;
        };
        /**
         * @description What the score consists of, in points. The sum of all fields is exactly `stress_score`. A category of signals is present if one of
         *     its signals counted, also with 0 points. Only in the response of `GET /v1/state`, and absent for a state that an earlier
         *     release computed.
         * @example {
         *       "neutral": 33,
         *       "cardiovascular": 24,
         *       "vocal": 15,
         *       "textual": -3,
         *       "other_session": 4,
         *       "held": 0
         *     }
         */
        Contributions: {
            /**
             * @description The score without evidence, which is the same for all people.
             * @example 33
             */
            neutral: number;
            /**
             * @description Heart rate and heart rate variability.
             * @example 24
             */
            cardiovascular?: number;
            /**
             * @description Tone of the voice.
             * @example 15
             */
            vocal?: number;
            /**
             * @description Expression of the face.
             * @example 0
             */
            visual?: number;
            /**
             * @description Sentiment and urgency.
             * @example -3
             */
            textual?: number;
            /**
             * @description All signals of other sessions of the same person (`shared_signals`). For a token that does not name the person, no such signal
             *     counts: its score and contributions are those of its session alone.
             * @example 4
             */
            other_session?: number;
            /**
             * @description Distance from the score of the signals to the published one, which is held in its state, or kept without evidence.
             * @example 0
             */
            held: number;
        };
        /**
         * @description The score without one part of `contributions`: the evidence of the other parts as it counts now, before a state is held.
         *     It is computed from whole points when it is read, so that it can differ by 2 points from the score that the service would
         *     compute, and by more if the part changes what another one means, as `focused` and `concentrated` do. Only in the response
         *     of `GET /v1/state`, and absent with `evidence` and for an outdated state.
         * @example {
         *       "vocal": {
         *         "state": "relaxed",
         *         "stress_score": 33
         *       }
         *     }
         */
        WithoutParts: {
            cardiovascular?: components["schemas"]["WithoutPart"];
            vocal?: components["schemas"]["WithoutPart"];
            visual?: components["schemas"]["WithoutPart"];
            textual?: components["schemas"]["WithoutPart"];
            other_session?: components["schemas"]["WithoutPart"];
        };
        /**
         * @description The state without one part of the score. With `evidence`, the state is unknown.
         * @example {
         *       "state": "relaxed",
         *       "stress_score": 33
         *     }
         */
        WithoutPart: {
            state: components["schemas"]["State"];
            stress_score: components["schemas"]["StressScore"];
            evidence?: components["schemas"]["Evidence"];
        };
        /**
         * @description A signal of another session of the same person.
         * @example {
         *       "signal": "heart_rate",
         *       "session_id": "watch",
         *       "timestamp": "2026-11-21T09:29:58.000Z"
         *     }
         */
        SharedSignal: {
            /**
             * @description Name of the signal. `activity_level` also stands for `steps_last_minute`.
             * @example heart_rate
             * @enum {string}
             */
            signal: "heart_rate" | "sdnn" | "rmssd" | "tone" | "expression" | "sentiment" | "urgency" | "activity_level";
            /**
             * @description The session that sent the value.
             * @example watch
             */
            session_id?: string;
            timestamp: components["schemas"]["Instant"];
        };
        /**
         * @description Whether the service checked the `user_message` of this request. Present in the response to a reading with
         *     `user_message` that is not backfilled. Never stored.
         * @example {
         *       "status": "analyzed"
         *     }
         */
        TextAnalysis: {
            /**
             * @description `analyzed`: the message was checked for safety and, together with `ai_response`, for topics.
             *     `unsupported_language`: the message is not in English. It was checked only for explicit statements of a danger in nine languages.
             *     `not_understood`: the message has no word that the service knows, and its language is not certain.
             *     `no_own_words`: nothing in the message is the person's own, e.g. it is a forwarded mail. Nothing was checked.
             * @example analyzed
             * @enum {string}
             */
            status: "analyzed" | "unsupported_language" | "not_understood" | "no_own_words";
            /**
             * @description What was not judged, because it is not the person's own: `quote` (quoted or forwarded text, transcripts of chats),
             *     `code` (fences, logs, data), `context` (context blocks and tags of front ends), `tool_result`, and `prompt` (a task that a
             *     front end wrote). Absent if the whole message was judged.
             * @example [
             *       "quote"
             *     ]
             */
            removed?: ("quote" | "code" | "context" | "tool_result" | "prompt")[];
            /**
             * @description States what was not checked. Absent if the message was analyzed.
             * @example The message has no word that the service knows. Nothing is claimed about it.
             */
            detail?: string;
        };
        /**
         * @description Which checks of the `user_message` answered. Present if the deployment has an external check (`SAFETY_URL`) and asked it.
         *     `both`: the more urgent finding counts. `built_in`: the external check failed. `external`: the message is not in English,
         *     so the external check read it, and the built-in check only looked for explicit statements. Absent if no check answered, and for the lines of a batch. Never stored.
         * @example both
         * @enum {string}
         */
        SafetySource: "built_in" | "external" | "both";
        /**
         * @description The `user_message` of this request may describe a danger to the user. Absent if nothing was found, which does not mean that
         *     the user is safe: the service misses messages, and reads other languages than English only for explicit statements in nine of them. Neither a diagnosis nor a crisis service. The finding is never
         *     stored, logged, streamed, exported or delivered to a webhook. Resending the reading computes the finding again. The
         *     turn has no topics. A response with a finding has the `suggested_action` `pause_and_ground` and a `recommendation` of its own,
         *     whatever the state is. Where the sentiment is derived, the finding also counts as the most severe words.
         * @example {
         *       "kind": "self_harm",
         *       "guidance": "The message may describe self-harm. Follow your crisis procedure."
         *     }
         */
        SafetyFinding: {
            /**
             * @description What the user describes of themselves. `suicidal_thoughts`: thoughts of suicide, or a wish to be dead. `self_harm`: harm to
             *     one's own body on purpose. `violence`: harm, threats, coercion, stalking or imprisonment by another person.
             * @example self_harm
             * @enum {string}
             */
            kind: "suicidal_thoughts" | "self_harm" | "violence";
            /**
             * @description A fixed sentence per kind for the software that shows the conversation. For a message in another language, a second one asks to answer in it.
             * @example The message may describe self-harm. Follow your crisis procedure.
             */
            guidance: string;
        };
        /** @description Values that the service estimated from the text of this request (`derive_sentiment`). Absent if nothing was estimated. */
        DerivedValues: {
            /**
             * @description Sentiment that the service estimated from `user_message`: from -0.95 (severe distress) to 0, with up to four decimals.
             *     Values from -0.05 to 0 are neutral words. They keep the order of messages, and `action_reason` names no direction for them.
             * @example -0.64
             */
            sentiment?: number;
        };
        /** @description Change of the score since the session's previous reading, whose suggested action the client may have followed. Present from a session's second reading on. Absent if this or the previous reading has no `evidence`. */
        AdaptationEffectiveness: {
            previous_action: components["schemas"]["SuggestedAction"];
            /**
             * @description Published score of the previous reading.
             * @example 52
             */
            previous_score: number;
            /**
             * @description Published score now.
             * @example 73
             */
            current_score: number;
            /**
             * @description Current minus previous score. Negative means less stress.
             * @example 21
             */
            stress_delta: number;
            /**
             * @description True if the score fell, or if both scores are in calm or relaxed.
             * @example false
             */
            effective: boolean;
        };
        /** @description The state history of a session or a person for a window. Contains the id that the request names. */
        History: {
            session_id?: components["schemas"]["Identifier"];
            subject_id?: components["schemas"]["Identifier"];
            /**
             * @description Length of the window in minutes.
             * @example 5
             */
            minutes: number;
            /** @description One datapoint per reading, oldest first. A window with more than 10,000 readings returns the newest 10,000. */
            datapoints: components["schemas"]["HistoryDatapoint"][];
            trend: components["schemas"]["Trend"];
            summary: components["schemas"]["HistorySummary"];
            not_observed?: components["schemas"]["NotObserved"];
        };
        /**
         * @description Times of the window in which the service did not run, oldest first. Silence in them says nothing about a person. Absent
         *     if there are none.
         */
        NotObserved: components["schemas"]["AbsentTime"][];
        /** @description A time of at least 5 minutes, or its part within the window. */
        AbsentTime: {
            from: components["schemas"]["Instant"];
            to: components["schemas"]["Instant"];
        };
        /**
         * @description Compares the mean score of the last third of the datapoints with the first third. A difference of at least 5 points is rising or falling. Fewer than three datapoints are stable. Datapoints without `evidence` do not count.
         * @example rising
         * @enum {string}
         */
        Trend: "rising" | "falling" | "stable";
        /**
         * @description The score that was published, before the person disputed it with a fact. Absent otherwise.
         * @example 72
         */
        ScoredBefore: number;
        /**
         * @description The state after one reading. The values that the reading contained, or that were derived from its intervals or its text,
         *     are present. Topics are present if the reading's conversation turn has some.
         */
        HistoryDatapoint: {
            timestamp: components["schemas"]["Instant"];
            /**
             * @description The session of the reading, in the history of a person.
             * @example demo-session
             */
            session_id?: string;
            state: components["schemas"]["State"];
            stress_score: components["schemas"]["StressScore"];
            scored_before?: components["schemas"]["ScoredBefore"];
            confidence: components["schemas"]["Confidence"];
            evidence?: components["schemas"]["Evidence"];
            raised?: components["schemas"]["Raised"];
            model_version: components["schemas"]["ModelVersion"];
            heart_rate?: components["schemas"]["HeartRate"];
            sdnn?: components["schemas"]["Sdnn"];
            rmssd?: components["schemas"]["Rmssd"];
            tone?: components["schemas"]["Tone"];
            expression?: components["schemas"]["Expression"];
            /**
             * @description Sentiment of the text, stated or derived, from -1 (negative) to 1 (positive).
             * @example -0.4
             */
            sentiment?: number;
            urgency?: components["schemas"]["Urgency"];
            activity_level?: components["schemas"]["ActivityLevel"];
            /**
             * @description Steps in the last minute.
             * @example 12
             */
            steps_last_minute?: number;
            respiratory_rate?: components["schemas"]["RespiratoryRate"];
            skin_temperature?: components["schemas"]["SkinTemperature"];
            eda?: components["schemas"]["ElectrodermalActivity"];
            spo2?: components["schemas"]["BloodOxygen"];
            pnn50?: components["schemas"]["Pnn50"];
            mean_ibi?: components["schemas"]["MeanInterval"];
            ibi_count?: components["schemas"]["IntervalCount"];
            speech_rate?: components["schemas"]["SpeechRate"];
            pitch_variability?: components["schemas"]["PitchVariability"];
            gaze?: components["schemas"]["Gaze"];
            posture?: components["schemas"]["Posture"];
            engagement?: components["schemas"]["Engagement"];
            glucose_mg_dl?: components["schemas"]["GlucoseMgDl"];
            glucose_mmol_l?: components["schemas"]["GlucoseMmolL"];
            glucose_trend?: components["schemas"]["GlucoseTrend"];
            eeg_alpha_power?: components["schemas"]["EegAlphaPower"];
            eeg_beta_power?: components["schemas"]["EegBetaPower"];
            eeg_theta_power?: components["schemas"]["EegThetaPower"];
            cognitive_load?: components["schemas"]["CognitiveLoad"];
            sleep_stage?: components["schemas"]["SleepStage"];
            source_device?: components["schemas"]["DeviceLabel"];
            /**
             * @description Topics of the reading's conversation turn. Absent if there are none.
             * @example [
             *       "work_performance"
             *     ]
             */
            topics_detected?: components["schemas"]["TopicName"][];
        };
        /** @description Figures of the datapoints of the window, except those without `evidence`. min, max and mean are present if there is one. */
        HistorySummary: {
            /**
             * @description Number of state changes between consecutive datapoints.
             * @example 2
             */
            transitions: number;
            /**
             * @description Lowest score.
             * @example 34
             */
            min?: number;
            /**
             * @description Highest score.
             * @example 73
             */
            max?: number;
            /**
             * @description Mean score, rounded to one decimal.
             * @example 53
             */
            mean?: number;
        };
        /**
         * @description reading (a stored reading and the state after it) or state_change (the payload of webhooks).
         * @example state_change
         * @enum {string}
         */
        StreamEventType: "reading" | "state_change";
        /**
         * @description The id of an event. Treat it as opaque.
         * @example 1795253400000001
         */
        EventId: string;
        /**
         * @description Events in the format of Server-Sent Events: `id`, `event` and `data` in one line of JSON each.
         * @example id: 1795253400000001
         *     event: ready
         *     data: {}
         */
        EventStream: string;
        /**
         * @description ndjson (one JSON object per line) or csv (one row per reading, RFC 4180).
         * @default ndjson
         * @example ndjson
         * @enum {string}
         */
        ExportFormat: "ndjson" | "csv";
        /**
         * @description One `ExportedReading` per line, as JSON without line breaks. Each line ends with a line feed.
         * @example {"reading":{},"computed":{},"cursor":"1795253400000000"}
         */
        ExportedLines: string;
        /**
         * @description A table as in RFC 4180, with a header row. The columns are the fields of `reading`, the fields of `computed` and
         *     `cursor`. An absent value is an empty cell. Lists are separated by spaces. A text that a spreadsheet would run as
         *     a formula starts with an apostrophe, so only NDJSON contains every text unchanged.
         * @example session_id,subject_id,timestamp,heart_rate
         */
        ExportedTable: string;
        /** @description A stored reading. */
        ExportedReading: {
            reading: components["schemas"]["ExportedSubmission"];
            computed: components["schemas"]["ExportedComputation"];
            cursor: components["schemas"]["EventId"];
        };
        /**
         * @description The stored fields of a reading. A valid body of `POST /v1/ingest`, except in the export of a person with a token: rows
         *     of other sessions than that of the token then have no `session_id`.
         */
        ExportedSubmission: {
            session_id?: components["schemas"]["Identifier"];
            subject_id?: components["schemas"]["SubmittedSubject"];
            timestamp: components["schemas"]["ReadingTime"];
            heart_rate?: components["schemas"]["HeartRate"];
            sdnn?: components["schemas"]["Sdnn"];
            rmssd?: components["schemas"]["Rmssd"];
            rr_intervals_ms?: components["schemas"]["BeatIntervals"];
            tone?: components["schemas"]["Tone"];
            expression?: components["schemas"]["Expression"];
            sentiment?: components["schemas"]["Sentiment"];
            urgency?: components["schemas"]["Urgency"];
            activity_level?: components["schemas"]["ActivityLevel"];
            steps_last_minute?: components["schemas"]["StepsLastMinute"];
            respiratory_rate?: components["schemas"]["RespiratoryRate"];
            skin_temperature?: components["schemas"]["SkinTemperature"];
            eda?: components["schemas"]["ElectrodermalActivity"];
            spo2?: components["schemas"]["BloodOxygen"];
            pnn50?: components["schemas"]["Pnn50"];
            mean_ibi?: components["schemas"]["MeanInterval"];
            ibi_count?: components["schemas"]["IntervalCount"];
            speech_rate?: components["schemas"]["SpeechRate"];
            pitch_variability?: components["schemas"]["PitchVariability"];
            gaze?: components["schemas"]["Gaze"];
            posture?: components["schemas"]["Posture"];
            engagement?: components["schemas"]["Engagement"];
            glucose_mg_dl?: components["schemas"]["GlucoseMgDl"];
            glucose_mmol_l?: components["schemas"]["GlucoseMmolL"];
            glucose_trend?: components["schemas"]["GlucoseTrend"];
            eeg_alpha_power?: components["schemas"]["EegAlphaPower"];
            eeg_beta_power?: components["schemas"]["EegBetaPower"];
            eeg_theta_power?: components["schemas"]["EegThetaPower"];
            cognitive_load?: components["schemas"]["CognitiveLoad"];
            sleep_stage?: components["schemas"]["SleepStage"];
            source_device?: components["schemas"]["DeviceLabel"];
            sample_id?: components["schemas"]["SampleId"];
            sample_revision?: components["schemas"]["SampleRevision"];
            user_message?: components["schemas"]["UserMessage"];
            ai_response?: components["schemas"]["AiResponse"];
            derive_sentiment?: components["schemas"]["DeriveSentiment"];
            backfill?: components["schemas"]["Backfill"];
        };
        /**
         * @description The fields that the service computed for a reading. `state`, `stress_score` and `confidence` are those of the
         *     history. `heart_rate`, `sdnn` and `rmssd` are present if they were derived from `rr_intervals_ms`. The other fields are
         *     those of the response to the reading, except `text_analysis` and `safety`.
         */
        ExportedComputation: {
            state: components["schemas"]["State"];
            stress_score: components["schemas"]["StressScore"];
            scored_before?: components["schemas"]["ScoredBefore"];
            confidence: components["schemas"]["Confidence"];
            model_version: components["schemas"]["ModelVersion"];
            heart_rate?: components["schemas"]["HeartRate"];
            sdnn?: components["schemas"]["Sdnn"];
            rmssd?: components["schemas"]["Rmssd"];
            /**
             * @description Sentiment that was derived from `user_message`. Absent if the reading states it, or if nothing was derived.
             *     `reading.sentiment` has the same value, because the text is not stored: an imported reading thus gets the same
             *     score.
             * @example -0.64
             */
            sentiment?: number;
            rr_quality?: components["schemas"]["RrQuality"];
            signals_received: components["schemas"]["SignalsReceived"];
            suggested_action: components["schemas"]["SuggestedAction"];
            action_reason: components["schemas"]["ActionReason"];
            recommendation?: components["schemas"]["Recommendation"];
            previous_state?: components["schemas"]["State"];
            adaptation_effectiveness?: components["schemas"]["AdaptationEffectiveness"];
            /**
             * @description Topics of the reading's conversation turn.
             * @example []
             */
            topics_detected: components["schemas"]["TopicName"][];
            /**
             * @description Topics that went with more stress of the person after this reading. Present if the session had a subject.
             * @example [
             *       "work_performance"
             *     ]
             */
            active_triggers?: components["schemas"]["TopicName"][];
            /**
             * @description Topics that no longer went with more stress of the person after this reading. Present if the session had a subject.
             * @example [
             *       "exams"
             *     ]
             */
            resolved_triggers?: components["schemas"]["TopicName"][];
        };
        /**
         * @description read (state and history of the session), ingest (send its readings) or feedback (send its feedback).
         * @example read
         * @enum {string}
         */
        TokenScope: "ingest" | "read" | "feedback";
        /**
         * @description An app that sends its data on its own schedule. `generic`: objects with `time`, `heart_rate` and other signals, as Tasker, Connect IQ or
         *     Home Assistant are set up to send them. `health_connect`: the app HC Webhook. `apple_shortcuts`: two lists of
         *     times and values. `open_wearables`, `terra` and `junction` are hubs, which send data of many people.
         * @example health_auto_export
         * @enum {string}
         */
        Source: "health_auto_export" | "health_connect" | "apple_shortcuts" | "generic" | "open_wearables" | "terra" | "junction";
        /**
         * @description The body as the source sends it. Parts that are not read are counted in `skipped`.
         * @example {
         *       "data": {
         *         "metrics": []
         *       }
         *     }
         */
        SourceBody: {
            [key: string]: unknown;
        };
        /** @description The outcomes of the samples of a body. */
        SourceResult: {
            /**
             * @description Newly stored readings.
             * @example 1
             */
            stored: number;
            /**
             * @description Readings that are already stored.
             * @example 0
             */
            unchanged: number;
            /**
             * @description Stored minutes that a sample or field was added to.
             * @example 0
             */
            replaced: number;
            /**
             * @description Moods of a moment that are stored as feedback of the person. Absent if there are none. They change no score.
             * @example 1
             */
            reports?: number;
            /**
             * @description Samples that are not stored, by reason. `too_old`: before the retention of readings. `no_consent`: the person
             *     does not allow it. `rate`: too many readings in an hour. `erased`: the person was erased in the meantime.
             *     `unknown_person`: the account has no data, consent or source key of the person that a hub names.
             *     `not_read`: another kind than heart rate, variability, breathing, steps or workouts. `no_heart_data`: a minute
             *     of steps alone. `other_device`: a more accurate device measured the same minute. `invalid`: a value or time
             *     that is impossible or not readable. New reasons may be added.
             * @example {
             *       "not_read": 1
             *     }
             */
            skipped: {
                [key: string]: number;
            };
            values?: components["schemas"]["SourceValues"];
            /**
             * @description What the service inferred from the values, e.g. which field is the time, and the names of fields that it does not
             *     read or cannot choose from. For people to read: the texts may change.
             * @example [
             *       "time: the field when"
             *     ]
             */
            notes?: string[];
        };
        /**
         * @description The outcomes of the values of a body, in numbers of values. A value is a text, number, boolean or null of the JSON, and each
         *     line of a text of several lines. The numbers add up to all values of the body.
         * @example {
         *       "used": 1,
         *       "merged": 4,
         *       "day_summary": 0,
         *       "placeholder": 0,
         *       "context": 18,
         *       "unknown_field": 2,
         *       "refused": 0
         *     }
         */
        SourceValues: {
            /**
             * @description Values of readings and reports.
             * @example 1
             */
            used: number;
            /**
             * @description Values of a minute with several, of which the reading has the mean or sum.
             * @example 4
             */
            merged: number;
            /**
             * @description Values of a whole day, e.g. a resting heart rate. They belong to no minute.
             * @example 0
             */
            day_summary: number;
            /**
             * @description Values that stand for no measurement, e.g. with confidence 0.
             * @example 0
             */
            placeholder: number;
            /**
             * @description Times, devices, units and other values that say what a value means.
             * @example 18
             */
            context: number;
            /**
             * @description Values of fields that are not read.
             * @example 2
             */
            unknown_field: number;
            /**
             * @description Values that are not stored. `skipped` has the reasons, in numbers of samples or readings.
             * @example 0
             */
            refused: number;
        };
        /**
         * @description A device of `POST /v1/devices`, in place of `session_id`. It names the person, and the session of the UTC day.
         * @example watch_4f1c9e0b7a2d
         */
        DeviceId: string;
        /**
         * @description What a device is. Agents and models see only the kind, never the name. New kinds may be added.
         * @example watch
         * @enum {string}
         */
        DeviceKind: "watch" | "strap" | "ring" | "phone" | "camera" | "microphone" | "app";
        /** @description A device to create. */
        DeviceRequest: {
            subject_id: components["schemas"]["DeviceOwner"];
            name: components["schemas"]["DeviceName"];
            kind: components["schemas"]["DeviceKind"];
        };
        /**
         * @description The person whose device it is. Hash personal identifiers first.
         * @example 5f2b51ca2b4d1a7e
         */
        DeviceOwner: string;
        /**
         * @description Name of the device for people, printable ASCII. Of a source key, the name of its app.
         * @example Left wrist
         */
        DeviceName: string;
        /** @description A device of a person, or a source key of a person. */
        Device: {
            device_id: components["schemas"]["DeviceId"];
            subject_id: components["schemas"]["DeviceOwner"];
            name: components["schemas"]["DeviceName"];
            kind: components["schemas"]["DeviceKind"];
            source?: components["schemas"]["Source"];
            /**
             * Format: date-time
             * @description Time of the creation.
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Timestamp of the newest stored reading, also a backfilled one. Of a source key the time of its last request, rounded down to the hour. Null if there is none.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_reading_at: string | null;
        };
        /** @description Devices of a person, newest first. */
        DeviceList: {
            /** @description The devices. */
            devices: components["schemas"]["Device"][];
        };
        /** @description A source key to create, or the connection of a hub. */
        SourceKeyRequest: {
            /**
             * @description The person whose data the key writes. Required, except for a hub. Shorter than other ids, because the id of a session of sources contains it.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            source: components["schemas"]["Source"];
            /**
             * @description The secret with which the hub signs, as it shows it. Required for a hub, and only for a hub. It is stored encrypted and never shown.
             * @example 0f6d7b8a5c4e3d2f1a0b9c8d7e6f5a4b3c2d1e0f
             */
            signing_secret?: string;
            /**
             * @description Validity of the key, in days. 180 if absent.
             * @example 180
             */
            expires_in_days?: number;
            time_zone?: components["schemas"]["TimeZone"];
        };
        /** @description A key with which one app writes data of one person, or the connection of a hub, which has no person, prefix and key. */
        SourceKey: {
            /**
             * @description Identifies the source key. It is no secret.
             * @example srk_4f1c9e0b7a2d
             */
            id: string;
            subject_id?: components["schemas"]["Identifier"];
            source: components["schemas"]["Source"];
            /**
             * @description The first characters of the key.
             * @example wk_8Yt2
             */
            prefix?: string;
            time_zone?: components["schemas"]["TimeZone"];
            /**
             * Format: date-time
             * @description Time of the creation.
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time at which the source key ends, at the latest with the key that created it.
             * @example 2027-05-20T09:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description Time of the last request with the key, rounded down to the hour. Null if there was none.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_used_at: string | null;
            last_post?: components["schemas"]["SourceKeyPost"];
            /**
             * @description Id of the API key with which the source key ends. Only in lists, and not on the page of a person. Absent if the command line created it.
             * @example key_3f8a1c5d7e90
             */
            maker_key_id?: string;
            /**
             * @description The key: `wk_` and 32 characters. Only in the response that creates it.
             * @example wk_8Yt2fG5kLq0PzXc7VbN3mRj1Hs9Dw4Ae
             */
            key?: string;
        };
        /** @description What the newest request with a source key contained. Absent if there was none. */
        SourceKeyPost: {
            /**
             * @description True if at least one of its samples is stored.
             * @example true
             */
            usable: boolean;
            /**
             * @description The device of its newest sample. Absent if the app names none.
             * @example Apple Watch
             */
            device?: string;
            /**
             * @description The reasons for which samples were skipped, as in the response to the request.
             * @example [
             *       "not_read",
             *       "too_old"
             *     ]
             */
            skipped: string[];
            /**
             * @description Hours for which the account must keep readings (`accounts set ACCOUNT keep-readings HOURS`, or
             *     `RETENTION_READINGS_HOURS`), so that the samples are stored that were skipped as `too_old`. Absent if all are, or if
             *     they are older than ten years.
             * @example 49
             */
            readings_hours?: number;
        };
        /** @description Source keys, newest first. */
        SourceKeyList: {
            /**
             * @description URL at which apps reach the service, without a slash at its end. It is `SOURCES_URL`, or else `PUBLIC_URL`. Absent without both.
             * @example https://state.example.com
             */
            public_url?: string;
            /** @description The source keys. */
            source_keys: components["schemas"]["SourceKey"][];
        };
        /**
         * @description What the page of a link may do. read (read and export), feedback (report how the person feels), dispute (state facts of the past, e.g. that the device was not worn), correct (remove a topic, which the page lists with `read`), connect (create source keys and upload files), withdraw (withdraw consent), erase (erase the person).
         * @example read
         * @enum {string}
         */
        LinkGrant: "read" | "feedback" | "dispute" | "correct" | "connect" | "withdraw" | "erase";
        /** @description A link to create. */
        LinkRequest: {
            /**
             * @description What the page may do. Only `read` if absent.
             * @example [
             *       "read",
             *       "feedback"
             *     ]
             */
            grants?: components["schemas"]["LinkGrant"][];
            /**
             * @description Validity of the link, in days. 30 if absent.
             * @example 30
             */
            expires_in_days?: number;
        };
        /** @description A link to the page of one person. */
        Link: {
            /**
             * @description Identifies the link. It is no secret.
             * @example lnk_4f1c9e0b7a2d
             */
            id: string;
            subject_id: components["schemas"]["Identifier"];
            /**
             * @description What the page may do.
             * @example [
             *       "read",
             *       "feedback"
             *     ]
             */
            grants: components["schemas"]["LinkGrant"][];
            /**
             * Format: date-time
             * @description Time of the creation.
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time until which the link can be opened.
             * @example 2026-11-22T09:30:00.000Z
             */
            open_until: string;
            /**
             * Format: date-time
             * @description Time at which the link ends, at the latest with the key that created it.
             * @example 2026-12-21T09:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description Time at which the link was opened. Null if it was not.
             * @example 2026-11-21T10:00:00.000Z
             */
            opened_at: string | null;
            /**
             * @description The URL for the person. The part after `#` is the secret. Only in the response that creates the link.
             * @example https://state.example.com/person/#pl_8Yt2fG5kLq0PzXc7VbN3mRj1Hs9Dw4Ae
             */
            url?: string;
        };
        /** @description Links, newest first. */
        LinkList: {
            /** @description The links. */
            links: components["schemas"]["Link"][];
        };
        /** @description The session, the person and the scopes of a token. */
        TokenRequest: {
            session_id: components["schemas"]["Identifier"];
            /**
             * @description The person whose readings the token may send. A reading without `subject_id` has this one. With the scope `read`,
             *     the token may also read the state, history and stream of this person, which include other sessions.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            /** @description The scopes of the token. */
            scopes: components["schemas"]["TokenScope"][];
            /**
             * @description Validity of the token, in seconds. 600 if absent.
             * @example 600
             */
            expires_in?: number;
        };
        /** @description A token for one session. */
        SessionToken: {
            /**
             * @description The token: a signed JSON Web Token. Treat it as opaque.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vLXNlc3Npb24ifQ.c2lnbmF0dXJl
             */
            token: string;
            session_id: components["schemas"]["Identifier"];
            /** @description The scopes of the token. */
            scopes: components["schemas"]["TokenScope"][];
            /**
             * Format: date-time
             * @description When the token expires, at the latest with its key. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:40:00.000Z
             */
            expires_at: string;
        };
        /** @description A session with its latest state. */
        SessionSummary: {
            session_id: components["schemas"]["Identifier"];
            /**
             * @description The person of the session. Absent until a reading contains a subject_id.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            /**
             * Format: date-time
             * @description When the service accepted the first reading. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:12:04.310Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description The time of the newest reading. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:30:00.000Z
             */
            timestamp: string;
            state: components["schemas"]["State"];
            /**
             * @description The score as of the newest reading.
             * @example 73
             */
            stress_score: number;
            /**
             * @description The confidence of the score.
             * @example 0.9
             */
            confidence: number;
            evidence?: components["schemas"]["Evidence"];
            state_since?: components["schemas"]["StateSince"];
            cause?: components["schemas"]["Cause"];
            model_version: components["schemas"]["ModelVersion"];
            /**
             * Format: date-time
             * @description The time at which the signals of the newest reading become stale, 300 seconds after `timestamp`. At this
             *     time, the session has ended, and `state` is outdated. A later reading continues the session.
             * @example 2026-11-21T09:35:00.000Z
             */
            valid_until: string;
            /**
             * @description The scores of the session's newest readings, oldest first, without backfilled readings and readings without evidence.
             *     Absent without the parameter `points`.
             */
            points?: components["schemas"]["SessionPoint"][];
        };
        /**
         * @description The strongest signal in the direction of the state, as of the newest reading: the heart rate or its variability beside a typical one, or
         *     what the voice, the face or the words express. `calming`: the state is held until the calmer signals last, and no signal raises the score.
         *     Absent with `evidence`, and if nothing stands out.
         * @example heart_raised
         * @enum {string}
         */
        Cause: "calming" | "heart_raised" | "heart_low" | "heart_usual" | "variability_low" | "variability_high" | "vocal_up" | "vocal_down" | "vocal_focused" | "vocal_hesitant" | "vocal_excited" | "visual_up" | "visual_down" | "visual_concentrated" | "visual_surprised" | "textual_negative" | "textual_urgent" | "textual_positive";
        /** @description The score of a reading. */
        SessionPoint: {
            /**
             * Format: date-time
             * @description The time of the reading. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:30:00.000Z
             */
            timestamp: string;
            /**
             * @description The score of the reading.
             * @example 73
             */
            stress_score: number;
        };
        /**
         * @description The state of a session. It is unknown if the newest reading has `evidence` none or weak, and has ended when the newest reading is 300 seconds old.
         * @example acute_stress
         * @enum {string}
         */
        SessionState: "calm" | "relaxed" | "focused" | "stressed" | "acute_stress" | "unknown" | "ended";
        /**
         * @description An order of sessions.
         * @example score
         * @enum {string}
         */
        SessionOrder: "started" | "score" | "activity";
        /**
         * @description The number of sessions by state. The filter `state` does not change the numbers.
         * @example {
         *       "calm": 41,
         *       "relaxed": 203,
         *       "focused": 96,
         *       "stressed": 18,
         *       "acute_stress": 2,
         *       "unknown": 7,
         *       "ended": 140
         *     }
         */
        SessionStateCounts: {
            calm: components["schemas"]["SessionCount"];
            relaxed: components["schemas"]["SessionCount"];
            focused: components["schemas"]["SessionCount"];
            stressed: components["schemas"]["SessionCount"];
            acute_stress: components["schemas"]["SessionCount"];
            unknown: components["schemas"]["SessionCount"];
            ended: components["schemas"]["SessionCount"];
        };
        /**
         * @description A number of sessions.
         * @example 18
         */
        SessionCount: number;
        /** @description A page of sessions. */
        SessionList: {
            /** @description The sessions in the requested order. By default, the session that started last comes first. */
            sessions: components["schemas"]["SessionSummary"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MjMyNDMxMC43YzFlOTBhYjM0ZDI
             */
            next_cursor: string | null;
            /**
             * Format: date-time
             * @description The time of the snapshot. Absent, like `states`, if the list is not a snapshot.
             * @example 2026-11-21T09:30:02.125Z
             */
            as_of?: string;
            states?: components["schemas"]["SessionStateCounts"];
            /**
             * @description The account of the key, the same for all of its keys. Absent for a token, and if the list is not a snapshot.
             * @example acc_5d41402abc4b2a76b971
             */
            account_id?: string;
        };
        /**
         * @description observed (detected, no pattern of stress yet), active (it goes with more stress), resolved (it no longer does).
         * @example active
         * @enum {string}
         */
        TriggerStatus: "observed" | "active" | "resolved";
        /** @description Stress of one topic. */
        TriggerEntry: {
            status: components["schemas"]["TriggerStatus"];
            /**
             * @description Mean stress score over all sightings, rounded to one decimal.
             * @example 71.3
             */
            avg_stress: number;
            /**
             * @description Highest stress score of a sighting.
             * @example 88
             */
            peak_stress: number;
            /**
             * @description Number of distinct sessions in which the topic was seen.
             * @example 4
             */
            sessions: number;
            last_seen: components["schemas"]["Instant"];
            /**
             * @description Points of stress above this person's other turns and ordinary hours, rounded to one decimal. Estimated with
             *     the other topics of its area: few turns give a value near 0. Absent while fewer than ten other turns of the
             *     person are known.
             * @example 12.4
             */
            effect?: number;
            evidence?: components["schemas"]["TriggerEvidence"];
        };
        /**
         * @description How certain it is that the effect of a topic is above 0: weak (less than 95 %), moderate (from 95 %), strong (from 99.5 %).
         *     Present together with `effect`.
         * @example moderate
         * @enum {string}
         */
        TriggerEvidence: "weak" | "moderate" | "strong";
        /**
         * @description One entry per topic, by topic name.
         * @example {
         *       "sleep": {
         *         "status": "observed",
         *         "avg_stress": 38,
         *         "peak_stress": 44,
         *         "sessions": 2,
         *         "last_seen": "2026-11-18T07:45:30.000Z"
         *       }
         *     }
         */
        TriggersByTopic: {
            [key: string]: components["schemas"]["TriggerEntry"];
        };
        /** @description The topics of one person and the stress of each topic. */
        TriggerProfile: {
            subject_id: components["schemas"]["Identifier"];
            triggers: components["schemas"]["TriggersByTopic"];
            /**
             * @description Names of the active topics, most recently seen first. Topics with the same time are sorted by name.
             * @example [
             *       "work_performance"
             *     ]
             */
            active: components["schemas"]["TopicName"][];
            /**
             * @description Names of the resolved topics, most recently seen first. Topics with the same time are sorted by name.
             * @example [
             *       "exams"
             *     ]
             */
            resolved: components["schemas"]["TopicName"][];
        };
        /**
         * @description What is known of the person: the weight of the person's own level in the typical value that the score compares a reading with.
         *     The rest is the value of the population. 0: the person is not known yet. It approaches 1 as the time of the readings grows.
         * @example 0.98
         */
        OwnShare: number;
        /**
         * @description Time of the readings that the baseline contains, in seconds. Older readings lose weight, which reduces it.
         * @example 1500
         */
        LearnedSeconds: number;
        /**
         * @description False if the baseline does not learn from this reading, because movement explains the heart rate.
         * @example true
         */
        IsLearned: boolean;
        /** @description The newest heart rate of the baseline. */
        LatestHeartRate: {
            timestamp: components["schemas"]["Instant"];
            /**
             * @description Heart rate in beats per minute, smoothed over the last half minute.
             * @example 71.2
             */
            bpm: number;
            learned: components["schemas"]["IsLearned"];
        };
        /** @description The newest heart rate variability of the baseline. */
        LatestVariability: {
            timestamp: components["schemas"]["Instant"];
            /**
             * @description Heart rate variability in milliseconds.
             * @example 47
             */
            ms: number;
            learned: components["schemas"]["IsLearned"];
        };
        /** @description Time that the person spent in a range of 2 bpm. */
        HeartRateBin: {
            /**
             * @description Lower edge of the range in beats per minute.
             * @example 62
             */
            from_bpm: number;
            /**
             * @description Time in seconds. Older readings lose weight, which reduces it.
             * @example 900
             */
            seconds: number;
        };
        /**
         * @description How far the heart rate of the person is learned before this reading.
         * @example {
         *       "status": "learning",
         *       "progress": 0.42,
         *       "own_share": 0.96
         *     }
         */
        BaselineProgress: {
            /**
             * @description `known` once `progress` is 1.
             * @example learning
             * @enum {string}
             */
            status: "learning" | "known";
            /**
             * @description How far the person's day is learned: at 1, the typical heart rate of their day counts half, beside their resting heart rate. It
             *     takes hours, while `own_share` grows within minutes.
             * @example 0.42
             */
            progress: number;
            own_share?: components["schemas"]["OwnShare"];
        };
        /** @description Baseline of the heart rate. */
        HeartRateBaseline: {
            /**
             * @description Resting heart rate in beats per minute: a low quantile of the histogram. With few readings, it is close to
             *     that of the population.
             * @example 61.4
             */
            resting_bpm: number;
            /**
             * @description Heart rate in beats per minute that is typical of the person at this time of day. Heart rates are compared
             *     to it. With few learned hours, it is close to `resting_bpm`.
             * @example 68.2
             */
            typical_bpm?: number;
            /**
             * @description Rise above `typical_bpm`, in beats per minute, that counts as stressed at this time of day. It is larger for
             *     a person whose heart rate rises more in everyday life.
             * @example 12.5
             */
            stressed_rise_bpm?: number;
            own_share: components["schemas"]["OwnShare"];
            learned_seconds: components["schemas"]["LearnedSeconds"];
            /** @description Time at each heart rate, lowest first. Empty before the first reading is learned. */
            histogram: components["schemas"]["HeartRateBin"][];
            latest: components["schemas"]["LatestHeartRate"];
        };
        /** @description Baseline of SDNN or RMSSD, two measures of heart rate variability. */
        VariabilityBaseline: {
            /**
             * @description Typical value in milliseconds, to which readings are compared. With few readings, it is close to that of
             *     the population.
             * @example 51.7
             */
            typical_ms: number;
            own_share: components["schemas"]["OwnShare"];
            /**
             * @description Geometric mean of the person's readings in milliseconds. Absent before the first reading is learned.
             * @example 52
             */
            own_mean_ms?: number;
            learned_seconds: components["schemas"]["LearnedSeconds"];
            latest: components["schemas"]["LatestVariability"];
        };
        /**
         * @description Typical values of one person, learned across sessions. A signal that was never measured is absent. `sdnn` and
         *     `rmssd` are those of the device that measured them last.
         */
        Baseline: {
            heart_rate?: components["schemas"]["HeartRateBaseline"];
            sdnn?: components["schemas"]["VariabilityBaseline"];
            rmssd?: components["schemas"]["VariabilityBaseline"];
            /** @description Variability per `source_device`, newest first, then that of readings without a device. Absent if no reading with variability named a device. */
            devices?: components["schemas"]["DeviceBaseline"][];
        };
        /**
         * @description Variability that one device measured. Readings are compared with the values of the same device. Four named
         *     devices and the readings without a device are stored.
         */
        DeviceBaseline: {
            source_device?: components["schemas"]["DeviceLabel"];
            sdnn?: components["schemas"]["VariabilityBaseline"];
            rmssd?: components["schemas"]["VariabilityBaseline"];
        };
        /** @description What the service has learned about one person. Contains no text. */
        SubjectProfile: {
            subject_id: components["schemas"]["Identifier"];
            /**
             * @description Number of stored sessions of the person. At most 1,000 are counted.
             * @example 2
             */
            sessions: number;
            /**
             * Format: date-time
             * @description When the service accepted the first reading of the oldest stored session. RFC 3339 in UTC, to the
             *     millisecond. Absent if no session is stored.
             * @example 2026-11-20T18:02:11.000Z
             */
            first_session_started_at?: string;
            /**
             * Format: date-time
             * @description When the service accepted the first reading of the newest stored session. RFC 3339 in UTC, to the
             *     millisecond. Absent if no session is stored.
             * @example 2026-11-21T09:12:04.310Z
             */
            last_session_started_at?: string;
            baseline: components["schemas"]["Baseline"];
            status_changes?: components["schemas"]["StatusChangesByTopic"];
        };
        /**
         * @description A change of the status of a topic.
         * @example {
         *       "status": "active",
         *       "timestamp": "2026-11-21T09:14:30.000Z"
         *     }
         */
        TopicStatusChange: {
            status: components["schemas"]["TriggerStatus"];
            timestamp: components["schemas"]["Instant"];
        };
        /**
         * @description The latest 20 status changes of each topic, by topic name. The first one is the first sighting, unless a topic
         *     changed more often. They are in the order in which the service accepted the readings, so a late reading comes last.
         *     Absent if the person has no topic.
         * @example {
         *       "sleep": [
         *         {
         *           "status": "observed",
         *           "timestamp": "2026-11-20T18:04:00.000Z"
         *         }
         *       ]
         *     }
         */
        StatusChangesByTopic: {
            [key: string]: components["schemas"]["TopicStatusChange"][];
        };
        /**
         * @description Length of a row of a summary.
         * @example day
         * @enum {string}
         */
        SummaryInterval: "hour" | "day";
        /**
         * @description A time zone of the IANA database.
         * @example Europe/Vienna
         */
        TimeZone: string;
        /** @description How long each state counted, in seconds. The share of a state is its value divided by the sum of all. */
        StateSeconds: {
            calm: components["schemas"]["Seconds"];
            relaxed: components["schemas"]["Seconds"];
            focused: components["schemas"]["Seconds"];
            stressed: components["schemas"]["Seconds"];
            acute_stress: components["schemas"]["Seconds"];
        };
        /**
         * @description A duration in seconds, to the millisecond.
         * @example 1800
         */
        Seconds: number;
        /** @description Mean and extremes of a value over the readings of a row, rounded to one decimal. */
        ValueRange: {
            /**
             * @description Arithmetic mean. Each reading has the same weight.
             * @example 42.6
             */
            mean: number;
            /**
             * @description Lowest value.
             * @example 24
             */
            min: number;
            /**
             * @description Highest value.
             * @example 73
             */
            max: number;
        };
        /** @description An hour or a day of a person. */
        SummaryRow: {
            start: components["schemas"]["Instant"];
            /**
             * Format: date
             * @description Local date of a day. Absent for an hour.
             * @example 2026-11-21
             */
            date?: string;
            /**
             * @description Number of readings with evidence. 0 if only the state of an earlier reading counts in this row. `stress_score` is absent then.
             * @example 120
             */
            readings: number;
            state_seconds: components["schemas"]["StateSeconds"];
            stress_score?: components["schemas"]["ValueRange"];
            heart_rate?: components["schemas"]["ValueRange"];
            /**
             * @description True for a day of the last two weeks in which the heart rate was raised as a whole (`raised.likely` `all_day`). Absent otherwise.
             * @example true
             */
            raised_day?: boolean;
            /**
             * @description Names of the topics of the readings, sorted. An hour has at most 5, those of most readings. A day has the topics
             *     of its hours.
             * @example [
             *       "work_performance"
             *     ]
             */
            topics: components["schemas"]["TopicName"][];
        };
        /** @description A page of the hours or days of a person, oldest first. */
        SubjectSummary: {
            subject_id: components["schemas"]["Identifier"];
            interval: components["schemas"]["SummaryInterval"];
            time_zone: components["schemas"]["TimeZone"];
            from: components["schemas"]["Instant"];
            to: components["schemas"]["Instant"];
            /** @description The hours or days with data, oldest first. */
            rows: components["schemas"]["SummaryRow"][];
            not_observed?: components["schemas"]["NotObserved"];
            /**
             * @description Pass it as `cursor` to get the next page. Null at the end.
             * @example null
             */
            next_cursor: string | null;
        };
        /**
         * @description How stressed the person felt, from 0 (not at all) to 10 (as much as imaginable). 5 and more count as stressed.
         * @example 7
         */
        ReportedStress: number;
        /**
         * @description What explains the report. New codes may be added.
         * @example time_pressure
         * @enum {string}
         */
        NoteCode: "time_pressure" | "workload" | "conflict" | "worry" | "pain" | "illness" | "poor_sleep" | "physical_activity" | "caffeine" | "excitement" | "rest" | "device_problem" | "other";
        /**
         * @description exercise (with its `level`), rest, sleep, not_worn (the device), other_person (wore the device), invalid (what was measured is wrong).
         * @example exercise
         * @enum {string}
         */
        FactKind: "exercise" | "rest" | "sleep" | "not_worn" | "other_person" | "invalid";
        /** @description What happened to a person in an interval. */
        FactSubmission: {
            subject_id: components["schemas"]["Identifier"];
            kind: components["schemas"]["FactKind"];
            level?: components["schemas"]["ActivityLevel"];
            start: components["schemas"]["SinceInstant"];
            end?: components["schemas"]["SinceInstant"];
            revision?: components["schemas"]["FactRevision"];
        };
        /**
         * @description Version of the fact. A lower one than the stored one changes nothing. Default 0.
         * @example 0
         */
        FactRevision: number;
        /** @description A stored fact. Without `end`, an exercise or rest counts 4 hours, a sleep 16 and another kind 24. A `level` that is absent is not known. */
        Fact: {
            fact_id: components["schemas"]["Identifier"];
            subject_id: components["schemas"]["Identifier"];
            kind: components["schemas"]["FactKind"];
            level?: components["schemas"]["ActivityLevel"];
            start: components["schemas"]["Instant"];
            end?: components["schemas"]["Instant"];
            revision: components["schemas"]["FactRevision"];
            /**
             * @description The source that stated it. `person`: the person, on the page of a link. Absent for a fact of a key.
             * @example terra
             */
            source?: string;
        };
        /** @description A page of facts. */
        FactList: {
            /** @description The facts, by `start`. */
            facts: components["schemas"]["Fact"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MjMyNDMxMC5mYl81ZjJi
             */
            next_cursor: string | null;
        };
        /** @description How stressed a person felt at one time. Exactly one of `session_id` and `subject_id` is required. */
        FeedbackSubmission: {
            session_id?: components["schemas"]["Identifier"];
            /**
             * @description The person, for a report that belongs to no single session.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            /**
             * Format: date-time
             * @description The time that the report is about, or the end of this time if `duration_seconds` is given. RFC 3339 in UTC (`Z` or `+00:00`), stored with millisecond precision. At most as old as the retention of feedback and at most 60 s ahead.
             * @example 2026-11-21T09:30:00.000Z
             */
            timestamp: string;
            /**
             * @description Length of the interval that the report is about, up to 8 hours. It ends at `timestamp`. Without it, the report is about one moment.
             * @example 3600
             */
            duration_seconds?: number;
            stress: components["schemas"]["ReportedStress"];
            note_code?: components["schemas"]["NoteCode"];
        };
        /** @description The score that the service had published for the time of a report, when it stored the report. Readings without evidence have none. */
        PublishedScore: {
            /**
             * @description Score of one reading, or the mean over the readings of the interval, rounded. If the interval has scores of several model versions, only those of the newest version count.
             * @example 73
             */
            stress_score: number;
            state: components["schemas"]["State"];
            model_version: components["schemas"]["ModelVersion"];
            /**
             * @description Number of readings whose scores count.
             * @example 1
             */
            readings: number;
        };
        /** @description A stored report. */
        Feedback: {
            /**
             * @description Identifies a report.
             * @example fb_5f2b51ca2b4d1a7e9f60
             */
            id: string;
            /**
             * @description The session that the report named.
             * @example demo-session
             */
            session_id?: string;
            /**
             * @description The person. A response to a report that named a session does not contain it. The list does, if the session has a person.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            timestamp: components["schemas"]["Instant"];
            /**
             * @description Length of the interval that ends at `timestamp`, in seconds. Absent for a moment.
             * @example 3600
             */
            duration_seconds?: number;
            stress: components["schemas"]["ReportedStress"];
            note_code?: components["schemas"]["NoteCode"];
            published?: components["schemas"]["PublishedScore"];
            recorded_at: components["schemas"]["Instant"];
        };
        /** @description A page of reports. */
        FeedbackList: {
            /** @description The reports, newest `timestamp` first. */
            feedback: components["schemas"]["Feedback"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MjMyNDMxMC5mYl81ZjJi
             */
            next_cursor: string | null;
        };
        /** @description An estimate with its 95 % interval, each rounded to three decimals. */
        Estimate: {
            /**
             * @description The estimate.
             * @example 0.71
             */
            value: number;
            /**
             * @description Lower end of the 95 % interval.
             * @example 0.6
             */
            low: number;
            /**
             * @description Upper end of the 95 % interval.
             * @example 0.8
             */
            high: number;
        };
        /** @description The reports whose published score is in one band. `mean_score` and `mean_stress` are absent without reports. `stressed_share` is the share of stressed reports, absent below 5 reports. */
        CalibrationBand: {
            state: components["schemas"]["State"];
            /**
             * @description Number of reports.
             * @example 43
             */
            reports: number;
            /**
             * @description Mean of the published scores, to one decimal.
             * @example 67.1
             */
            mean_score?: number;
            /**
             * @description Mean of the reported stress (0 to 10), to one decimal.
             * @example 5.2
             */
            mean_stress?: number;
            stressed_share?: components["schemas"]["Estimate"];
        };
        /** @description How well the published score agrees with reports. */
        Agreement: {
            /**
             * @description The person. Absent in the agreement of the account.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            /**
             * @description measured, or not_enough_reports (`auc` is absent).
             * @example measured
             * @enum {string}
             */
            status: "measured" | "not_enough_reports";
            model_version: components["schemas"]["ModelVersion"];
            /**
             * @description Number of reports that were read, the newest 10,000 at most.
             * @example 260
             */
            reports: number;
            /**
             * @description Largest number of these reports of one person, also of those that do not count.
             * @example 31
             */
            person_reports_max: number;
            /**
             * @description Number of these reports that count and have a published score of `model_version`. Only they count in the fields below.
             * @example 240
             */
            scored_reports: number;
            /**
             * @description Number of scored reports with a `stress` of 5 or more.
             * @example 70
             */
            stressed_reports: number;
            /**
             * @description Number of groups of scored reports. A group is a day (UTC) of a person, or a person of the account. A session without a person is a group.
             * @example 12
             */
            groups: number;
            auc?: components["schemas"]["Estimate"];
            /**
             * @description The scored reports by band of their published score, from calm to acute_stress.
             * @example [
             *       {
             *         "state": "calm",
             *         "reports": 0
             *       },
             *       {
             *         "state": "relaxed",
             *         "reports": 1,
             *         "mean_score": 31,
             *         "mean_stress": 2
             *       },
             *       {
             *         "state": "focused",
             *         "reports": 0
             *       },
             *       {
             *         "state": "stressed",
             *         "reports": 1,
             *         "mean_score": 73,
             *         "mean_stress": 6
             *       },
             *       {
             *         "state": "acute_stress",
             *         "reports": 0
             *       }
             *     ]
             */
            calibration: components["schemas"]["CalibrationBand"][];
            /**
             * @description The facts with which people disputed states on their pages, by kind. A kind has at least 5 people, without people
             *     who ever had a consent of the context `work`. Absent in the agreement of a person, and if no kind has so many.
             * @example [
             *       {
             *         "kind": "not_worn",
             *         "facts": 14,
             *         "people": 6
             *       }
             *     ]
             */
            disputes?: components["schemas"]["DisputeCount"][];
        };
        /** @description The disputes of one kind. */
        DisputeCount: {
            kind: components["schemas"]["FactKind"];
            /**
             * @description Number of facts.
             * @example 14
             */
            facts: number;
            /**
             * @description Number of people who stated them.
             * @example 6
             */
            people: number;
        };
        /**
         * @description Category of signals that a person can allow. cardiovascular (heart rate, its variability, and other measurements of
         *     the body), vocal (tone), visual (expression), textual (sentiment, urgency and texts), movement (activity and steps).
         * @example cardiovascular
         * @enum {string}
         */
        ConsentCategory: "cardiovascular" | "vocal" | "visual" | "textual" | "movement";
        /**
         * @description The categories that the person allows. Empty if the person allows none, e.g. after a withdrawal.
         * @example [
         *       "cardiovascular",
         *       "vocal"
         *     ]
         */
        ConsentCategories: components["schemas"]["ConsentCategory"][];
        /**
         * @description Names of the purposes that the person agreed to, as your consent form defines them. The service stores them and does not interpret them.
         * @example [
         *       "adapt_conversation"
         *     ]
         */
        ConsentPurposes: string[];
        /**
         * @description Where the person is assessed. In `work` and `education`, biometric categories require a stated medical or safety purpose of the account.
         * @example care
         * @enum {string}
         */
        ConsentContext: "personal" | "care" | "work" | "education" | "research";
        /**
         * @description Id of your own record of this consent, e.g. of the signed form. It must contain no personal data.
         * @example crm-consent-4711
         */
        ConsentRecordId: string;
        /**
         * @description What a person allows. `purposes`, `event_time` and `record_id` have the names of ISO/IEC TS 27560. A consent that the
         *     person withdraws has no categories.
         */
        ConsentSubmission: {
            categories: components["schemas"]["ConsentCategories"];
            purposes: components["schemas"]["ConsentPurposes"];
            context: components["schemas"]["ConsentContext"];
            /**
             * Format: date-time
             * @description Time at which the person gave, changed or withdrew the consent. At most 60 s ahead. RFC 3339 in UTC (`Z` or `+00:00`).
             * @example 2026-11-21T09:00:00.000Z
             */
            event_time: string;
            /**
             * Format: date-time
             * @description From this time on, the consent is not valid. Absent for a consent without an end. RFC 3339 in UTC (`Z` or `+00:00`).
             * @example 2027-11-21T09:00:00.000Z
             */
            expires_at?: string;
            record_id?: components["schemas"]["ConsentRecordId"];
        };
        /** @description A version of a person's consent. */
        Consent: {
            subject_id: components["schemas"]["Identifier"];
            /**
             * @description Number of the version, from 1.
             * @example 1
             */
            version: number;
            categories: components["schemas"]["ConsentCategories"];
            purposes: components["schemas"]["ConsentPurposes"];
            context: components["schemas"]["ConsentContext"];
            event_time: components["schemas"]["Instant"];
            expires_at?: components["schemas"]["Instant"];
            record_id?: components["schemas"]["ConsentRecordId"];
            /**
             * @description State of the version. `withdrawn` has no category. `expired` is past `expires_at`. `unverified` allows nothing: the service did not write the stored version as it is. Record it again.
             * @example given
             * @enum {string}
             */
            event_state: "given" | "withdrawn" | "expired" | "unverified";
            recorded_at: components["schemas"]["Instant"];
        };
        /** @description A page of the versions of a consent, newest first. */
        ConsentVersions: {
            /** @description The versions, newest first. */
            versions: components["schemas"]["Consent"][];
            /**
             * @description Pass it as `cursor` to get the next page. Null at the end.
             * @example null
             */
            next_cursor: string | null;
        };
        /** @description The result of an erasure. */
        Erasure: {
            subject_id: components["schemas"]["Identifier"];
            /**
             * @description Always true.
             * @example true
             */
            deleted: boolean;
            /**
             * @description Number of erased sessions.
             * @example 3
             */
            sessions_removed: number;
            /**
             * @description Number of erased topics of the trigger profile.
             * @example 2
             */
            triggers_removed: number;
            /**
             * @description The number of `sessions_removed`, for clients that read this name.
             * @example 3
             */
            sessions_deleted: number;
            /**
             * @description The number of `triggers_removed`, for clients that read this name.
             * @example 2
             */
            trigger_entries_deleted: number;
            /**
             * @description A signed statement of this erasure: a JSON Web Signature (RFC 7515) of the other fields, the id of the key that
             *     requested it (`key_id`) and the time (`erased_at`). Store it, because the service does not. `GET /v1/receipt-keys`
             *     returns the public key.
             * @example eyJhbGciOiJFZERTQSIsInR5cCI6ImVyYXN1cmUtcmVjZWlwdCtqd3QiLCJraWQiOiJya183ZDFlNGI5MGMyYThmNTYzIn0.eyJlcmFzZWRfYXQiOiIyMDI2LTExLTIxVDA5OjMwOjAwLjAwMFoiLCJzdWJqZWN0X2lkIjoiNWYyYjUxY2EyYjRkMWE3ZSIsImRlbGV0ZWQiOnRydWUsInNlc3Npb25zX3JlbW92ZWQiOjMsInRyaWdnZXJzX3JlbW92ZWQiOjIsImtleV9pZCI6ImtleV8zZjhhMWM1ZDdlOTAiLCJpc3MiOiJyZWFsdGltZS1zdGF0ZS1zZXJ2aWNlIiwianRpIjoiMGI5ZjZmMGMtNmYwZS00ZDUxLTlhNTgtMGQ0ZjFmM2Y3YTYxIiwiaWF0IjoxNzk1MjUzNDAwfQ.wJuQUpyGZy1CBH4xmee6QZgnDBJtc1pIshGRf1xzhkUowSG43fE-178xsXBwIFyzLO9voaegZefYQM0cQgwIAw
             */
            receipt: string;
        };
        /** @description One or more equal requests of a key in a minute. */
        Access: {
            /**
             * Format: date-time
             * @description Start of the minute.
             * @example 2026-11-21T09:30:00.000Z
             */
            minute: string;
            /**
             * @description What a request did with a person's data. `write` is a replacement of stored readings by a reading with the same `sample_id`, or of their states by a fact.
             * @example read
             * @enum {string}
             */
            action: "read" | "export" | "erase" | "write";
            /**
             * @description The `operationId` of the requests.
             * @example getState
             */
            operation: string;
            /**
             * @description Id of the key, as `keys list` shows it. For a token, the key that issued it. For a link, its id. Empty on the page of a link, which names no key.
             * @example key_3f8a1c5d7e90
             */
            key_id: string;
            /**
             * @description How the caller proved its identity. key (an API key), token (a session token that the key issued), link (the page of the person).
             * @example key
             * @enum {string}
             */
            credential: "key" | "token" | "link";
            /**
             * @description Whose data a request concerned. subject (this person), account (all persons of the account).
             * @example subject
             * @enum {string}
             */
            scope: "subject" | "account";
        };
        /** @description A page of accesses. */
        AccessList: {
            subject_id: components["schemas"]["Identifier"];
            /** @description The accesses, newest first. */
            accesses: components["schemas"]["Access"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MzQwMDAwMC4zZjhhMWM1ZDdlOTBiMjY0LjQy
             */
            next_cursor: string | null;
        };
        /** @description A public key in the format of a JSON Web Key (RFC 8037). */
        ReceiptKey: {
            /**
             * @description Type of the key.
             * @example OKP
             * @enum {string}
             */
            kty: "OKP";
            /**
             * @description Curve of the key.
             * @example Ed25519
             * @enum {string}
             */
            crv: "Ed25519";
            /**
             * @description Algorithm of the signatures.
             * @example EdDSA
             * @enum {string}
             */
            alg: "EdDSA";
            /**
             * @description Use of the key.
             * @example sig
             * @enum {string}
             */
            use: "sig";
            /**
             * @description Id of the key. The header of a receipt names it.
             * @example rk_7d1e4b90c2a8f563
             */
            kid: string;
            /**
             * @description The public key, base64url.
             * @example _QWUMJtEUj0Zo3-QFXG63hZXSELF4wGwa4PYE9aveYc
             */
            x: string;
        };
        /** @description The public keys of deletion receipts. */
        ReceiptKeyList: {
            /** @description The keys, newest first. The newest one signs. */
            keys: components["schemas"]["ReceiptKey"][];
        };
        /**
         * @description Identifies a webhook. The service creates it.
         * @example wh_4f1c9e0b7a2d4c8e9f60
         */
        WebhookId: string;
        /**
         * @description Identifies a delivery. The service creates it and sends it as `webhook-id` with every attempt.
         * @example dlv_2b7e9d4f6a1c4e3b8d05
         */
        DeliveryId: string;
        /**
         * Format: date-time
         * @description A time, RFC 3339 in UTC (`Z` or `+00:00`). A parameter of a query may also be epoch milliseconds.
         * @example 2026-11-21T09:00:00.000Z
         */
        SinceInstant: string;
        /**
         * @description Kind of event. state_change (a session's state changed), alert (a rule of `/v1/alerts` fired for a person),
         *     trigger_active (a topic of a person became active in Trigger Memory). Each kind has its own body.
         * @example state_change
         * @enum {string}
         */
        EventKind: "state_change" | "alert" | "trigger_active";
        /**
         * @description active (deliveries succeed), failed (at least three attempts in a row have failed: later events are still
         *     sent, and the first success makes the webhook active), disabled (the receiver responded with 410: registering
         *     the same url, session and person again enables the webhook).
         * @example active
         * @enum {string}
         */
        WebhookStatus: "active" | "failed" | "disabled";
        /**
         * @description When the service retries a failed delivery. standard (1, 4 and 16 seconds after the preceding failure), extended
         *     (with growing pauses of at most one hour, until the event is 24 hours old). Both keep the order per session. A
         *     registration without it gives a new webhook `standard`, and an existing webhook keeps its schedule.
         * @example extended
         * @enum {string}
         */
        WebhookRetry: "standard" | "extended";
        /** @description A webhook to register. */
        WebhookRegistration: {
            /**
             * @description The absolute https URL that receives the events, at most 1,024 characters.
             * @example https://example.com/hooks/state
             */
            url: string;
            /**
             * @description Kinds of events to receive, without duplicates.
             * @example [
             *       "state_change"
             *     ]
             */
            events: components["schemas"]["EventKind"][];
            /**
             * @description The session to watch. Not together with `subject_id`. Without both, the webhook watches every session of the
             *     account.
             * @example demo-session
             */
            session_id?: string;
            /**
             * @description The person whose sessions to watch, also later ones. Not together with `session_id`.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            retry?: components["schemas"]["WebhookRetry"];
            /**
             * @description The states whose changes the webhook receives: only events with one of them as `new_state` are delivered. Without
             *     it, a new webhook receives changes to every state, and an existing webhook keeps its states. List all states
             *     to receive every change again. Test events are always delivered.
             * @example [
             *       "stressed",
             *       "acute_stress"
             *     ]
             */
            states?: components["schemas"]["State"][];
        };
        /**
         * @description A registered webhook. Its secret is present only in the response that issues it: a new registration (201) and a
         *     rotation.
         */
        Webhook: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description The URL that receives the events, as in the first registration.
             * @example https://example.com/hooks/state
             */
            url: string;
            /**
             * @description Kinds of events that the webhook receives.
             * @example [
             *       "state_change"
             *     ]
             */
            events: components["schemas"]["EventKind"][];
            /**
             * @description The watched session. Absent when the webhook watches a person or every session of the account.
             * @example demo-session
             */
            session_id?: string;
            /**
             * @description The person whose sessions the webhook watches. Absent when it watches one session or every session.
             * @example 5f2b51ca2b4d1a7e
             */
            subject_id?: string;
            status: components["schemas"]["WebhookStatus"];
            retry?: components["schemas"]["WebhookRetry"];
            /**
             * @description The states whose changes the webhook receives. Absent when it receives changes to every state.
             * @example [
             *       "stressed",
             *       "acute_stress"
             *     ]
             */
            states?: components["schemas"]["State"][];
            /**
             * @description The secret that signs deliveries. `whsec_` and the base64 of 32 random bytes.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwbEsfYwTzXkM=
             */
            secret?: string;
            /**
             * @description Failed attempts since the last successful attempt. From 3 on, `status` is `failed`.
             * @example 0
             */
            consecutive_failures: number;
            /**
             * Format: date-time
             * @description End of the newest failed attempt. Absent if no attempt has failed. RFC 3339 in UTC.
             * @example 2026-11-21T09:30:01.050Z
             */
            last_failure_at?: string;
            last_failure?: components["schemas"]["DeliveryAttempt"];
            /**
             * Format: date-time
             * @description Time of the next attempt of the delivery that failed last. Absent if it is not retried. RFC 3339 in UTC.
             * @example 2026-11-21T09:30:02.050Z
             */
            next_attempt_at?: string;
            /**
             * Format: date-time
             * @description Time of the newest stored successful delivery. Only in the list of webhooks, absent if there is none. RFC 3339 in UTC.
             * @example 2026-11-21T09:31:00.052Z
             */
            last_success_at?: string;
            /**
             * @description Number of pending deliveries, counted up to 1,000. Only in the list of webhooks.
             * @example 0
             */
            queued_deliveries?: number;
            created_at: components["schemas"]["Instant"];
        };
        /** @description The webhooks of the account. */
        WebhookList: {
            /** @description Oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description The payload of a delivery, sent when a session's state changed. Exactly these six fields. */
        StateChange: {
            /**
             * @description Kind of event.
             * @example state_change
             * @enum {string}
             */
            event: "state_change";
            session_id: components["schemas"]["Identifier"];
            previous_state: components["schemas"]["State"];
            new_state: components["schemas"]["State"];
            /**
             * @description Stress score after the change.
             * @example 73
             */
            stress_score: number;
            timestamp: components["schemas"]["Instant"];
        };
        /** @description A state change in a stream. It also names the person. */
        StreamedStateChange: {
            /**
             * @description Kind of event.
             * @example state_change
             * @enum {string}
             */
            event: "state_change";
            session_id: components["schemas"]["Identifier"];
            previous_state: components["schemas"]["State"];
            new_state: components["schemas"]["State"];
            stress_score: components["schemas"]["StressScore"];
            timestamp: components["schemas"]["Instant"];
            subject_id?: components["schemas"]["Identifier"];
        };
        /**
         * @description The payload of a delivery, sent when an alert rule fired. It contains no score, state or value of a signal: read them
         *     with a key that may.
         */
        Alert: {
            /**
             * @description Kind of event.
             * @example alert
             * @enum {string}
             */
            event: "alert";
            alert_id: components["schemas"]["AlertRuleId"];
            subject_id: components["schemas"]["Identifier"];
            condition: components["schemas"]["AlertCondition"];
            timestamp: components["schemas"]["Instant"];
        };
        /** @description The payload of a delivery, sent when a topic of a person became active. */
        TriggerActive: {
            /**
             * @description Kind of event.
             * @example trigger_active
             * @enum {string}
             */
            event: "trigger_active";
            subject_id: components["schemas"]["Identifier"];
            topic: components["schemas"]["TopicName"];
            timestamp: components["schemas"]["Instant"];
        };
        /** @description A delivery of an event of another kind than state_change. */
        EventDelivery: {
            id: components["schemas"]["DeliveryId"];
            webhook_id: components["schemas"]["WebhookId"];
            event: components["schemas"]["EventKind"];
            status: components["schemas"]["DeliveryOutcome"];
            /**
             * @description The body of the event, as described for its kind at the registration of a webhook.
             * @example {
             *       "event": "alert",
             *       "alert_id": "alr_9d2c4e6f8a0b1c3d5e7f",
             *       "subject_id": "5f2b51ca2b4d1a7e",
             *       "condition": "stressed",
             *       "timestamp": "2026-11-21T09:31:00.000Z"
             *     }
             */
            payload: {
                [key: string]: unknown;
            };
            /** @description The attempts of the last schedule, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            reason?: components["schemas"]["FailureReason"];
        };
        /**
         * @description Identifies an alert rule. The service creates it.
         * @example alr_9d2c4e6f8a0b1c3d5e7f
         */
        AlertRuleId: string;
        /**
         * @description stressed (the state is stressed or above for `minutes`), above_usual (the score is above the usual level of the person
         *     for `minutes`: the 75th percentile of the mean scores of the same four UTC hours of the last 28 days, from seven days
         *     on. It requires stored hours, `RETENTION_SUMMARY_DAYS`), no_data (no live reading for `hours` in which the
         *     service ran, of a person with earlier ones), trigger_active (a topic of the person became active).
         * @example stressed
         * @enum {string}
         */
        AlertCondition: "stressed" | "above_usual" | "no_data" | "trigger_active";
        /**
         * @description How long the score is high, in minutes. Only for stressed and above_usual, 10 if absent. A gap of more than 300 seconds
         *     between two readings, and a reading without evidence, starts the time again.
         * @example 10
         */
        AlertMinutes: number;
        /**
         * @description Hours since the newest live reading of the person. Only for no_data, 24 if absent.
         * @example 24
         */
        AlertHours: number;
        /**
         * @description A local time, hours and minutes.
         * @example 22:00
         */
        ClockTime: string;
        /**
         * @description Local hours of a day in which the rule does not fire. At their end, it fires for every person for whom the condition is
         *     still true. From and to may be on both sides of midnight.
         */
        QuietHours: {
            from: components["schemas"]["ClockTime"];
            to: components["schemas"]["ClockTime"];
            time_zone: components["schemas"]["TimeZone"];
        };
        /** @description An alert rule to create. */
        AlertRuleRequest: {
            condition: components["schemas"]["AlertCondition"];
            minutes?: components["schemas"]["AlertMinutes"];
            hours?: components["schemas"]["AlertHours"];
            /**
             * @description The people that the rule watches. Absent for everyone of the account, also people who come later.
             * @example [
             *       "5f2b51ca2b4d1a7e"
             *     ]
             */
            subject_ids?: components["schemas"]["Identifier"][];
            quiet_hours?: components["schemas"]["QuietHours"];
        };
        /** @description An alert rule. */
        AlertRule: {
            id: components["schemas"]["AlertRuleId"];
            condition: components["schemas"]["AlertCondition"];
            minutes?: components["schemas"]["AlertMinutes"];
            hours?: components["schemas"]["AlertHours"];
            /**
             * @description The watched people, without those who were erased since. Empty if all of them were erased. Absent if the rule
             *     watches everyone of the account.
             * @example [
             *       "5f2b51ca2b4d1a7e"
             *     ]
             */
            subject_ids?: components["schemas"]["Identifier"][];
            quiet_hours?: components["schemas"]["QuietHours"];
            created_at: components["schemas"]["Instant"];
            /**
             * Format: date-time
             * @description Time at which the rule last fired for anyone. Only in the list. Absent if it did not fire in the last 7 days.
             * @example 2026-11-21T09:31:00.000Z
             */
            last_fired_at?: string;
        };
        /** @description The alert rules of the account. */
        AlertRuleList: {
            /** @description Oldest first. */
            alerts: components["schemas"]["AlertRule"][];
        };
        /** @description A queued sample event. */
        TestAccepted: {
            delivery_id: components["schemas"]["DeliveryId"];
        };
        /**
         * @description Why the delivery failed. attempts_exhausted (the last retry failed), disabled (the receiver responded with 410),
         *     queue_full (the webhook had 100,000 queued deliveries, and this one was among the oldest).
         * @example attempts_exhausted
         * @enum {string}
         */
        FailureReason: "attempts_exhausted" | "disabled" | "queue_full";
        /**
         * @description One attempt. It has the status of the response, or the error that prevented a complete response, or both if
         *     the response stalled or broke after its headers.
         */
        DeliveryAttempt: {
            timestamp: components["schemas"]["Instant"];
            /**
             * @description Status of the receiver's response. Absent if there was no response.
             * @example 500
             */
            status?: number;
            /**
             * @description Why there was no complete response. timeout (not complete within 10 seconds), name_not_resolved,
             *     address_refused (the resolved address is not an allowed target), tls_failed, connection_failed (refused, reset
             *     or broken, also during a response), secret_unreadable (the deployment's SECRETS_KEY has changed: rotate the
             *     webhook's secret).
             * @example timeout
             * @enum {string}
             */
            error?: "timeout" | "name_not_resolved" | "address_refused" | "tls_failed" | "connection_failed" | "secret_unreadable";
            /**
             * @description Duration of the attempt in milliseconds.
             * @example 12
             */
            duration_ms: number;
            /**
             * @description The first 1,024 bytes of the receiver's response as text. Absent if the body was empty, or if the
             *     deployment does not store responses (`WEBHOOK_KEEP_ANSWERS`). By default, deployments that allow loopback
             *     targets do not store responses.
             * @example oops
             */
            answer?: string;
        };
        /**
         * @description pending (queued, in flight or waiting for a retry), delivered (an attempt got a 2xx), failed (no further
         *     attempt unless you retry the delivery).
         * @example delivered
         * @enum {string}
         */
        DeliveryOutcome: "pending" | "delivered" | "failed";
        /** @description A delivery of one event to one webhook. */
        Delivery: {
            id: components["schemas"]["DeliveryId"];
            webhook_id: components["schemas"]["WebhookId"];
            status: components["schemas"]["DeliveryOutcome"];
            payload: components["schemas"]["StateChange"];
            /** @description The attempts of the last schedule, oldest first. With `retry` extended, the first one and at most the newest 3. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            reason?: components["schemas"]["FailureReason"];
            /**
             * Format: date-time
             * @description Time at which the delivery was delivered or failed. Absent while it is pending. RFC 3339 in UTC, to the millisecond.
             * @example 2026-11-21T09:30:00.052Z
             */
            settled_at?: string;
        };
        /** @description A page of deliveries. */
        DeliveryList: {
            /** @description Newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Deliveries of `alert` and `trigger_active` on this page, in the same order. Absent if it has none. */
            event_deliveries?: components["schemas"]["EventDelivery"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MzQwMDAwMC5kbHZfMmI3ZTlkNGY2YTFjNGUzYjhkMDU
             */
            next_cursor: string | null;
        };
        /** @description A delivery whose last retry failed. It can be queued again. */
        FailedDelivery: {
            id: components["schemas"]["DeliveryId"];
            webhook_id: components["schemas"]["WebhookId"];
            payload: components["schemas"]["StateChange"];
            /** @description The attempts of the latest schedule, oldest first. With `retry` extended, the first one and at most the newest 3. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            reason: components["schemas"]["FailureReason"];
        };
        /**
         * @description failure_time (when the delivery failed, the default), event_time (`payload.timestamp`, which a retry that fails
         *     again does not change).
         * @example failure_time
         * @enum {string}
         */
        FailedDeliverySort: "failure_time" | "event_time";
        /** @description A page of failed deliveries. */
        FailedDeliveryList: {
            /** @description Newest first, by the time that `sort` selects. */
            deliveries: components["schemas"]["FailedDelivery"][];
            /** @description Deliveries of `alert` and `trigger_active` on this page, in the same order. Absent if it has none. */
            event_deliveries?: components["schemas"]["EventDelivery"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example MTc5NTI1MzQwMDAwMC5kbHZfMmI3ZTlkNGY2YTFjNGUzYjhkMDU
             */
            next_cursor: string | null;
        };
        /** @description The failed deliveries to queue again, either by `delivery_ids` or by `webhook_id`. `since` is allowed only with `webhook_id`. */
        RetryRequest: {
            /**
             * @description Ids of failed deliveries. 100 ids fit into a body.
             * @example [
             *       "dlv_2b7e9d4f6a1c4e3b8d05"
             *     ]
             */
            delivery_ids?: string[];
            /**
             * @description Id of a webhook whose failed deliveries are queued again.
             * @example wh_4f1c9e0b7a2d4c8e9f60
             */
            webhook_id?: string;
            since?: components["schemas"]["SinceInstant"];
            /**
             * @description Whether the deliveries are sent in order per session, one after the other. Without it, they are sent
             *     immediately in any order.
             * @example true
             */
            ordered?: boolean;
        };
        /** @description The deliveries that were queued again. */
        RetryAccepted: {
            /**
             * @description Number of deliveries that were queued again.
             * @example 1
             */
            count: number;
            /**
             * @description Their ids. With `ordered`, oldest event first.
             * @example [
             *       "dlv_2b7e9d4f6a1c4e3b8d05"
             *     ]
             */
            delivery_ids: components["schemas"]["DeliveryId"][];
        };
        /** @description Liveness. */
        Health: {
            /**
             * @description Always ok. A process that is not alive does not respond.
             * @example ok
             * @enum {string}
             */
            status: "ok";
        };
        /** @description Readiness. */
        Readiness: {
            /**
             * @description Always ready. Otherwise the response is a 503.
             * @example ready
             * @enum {string}
             */
            status: "ready";
        };
        /**
         * @description Stable name of the error. Branch on it. New codes may be added.
         * @example invalid_payload
         * @enum {string}
         */
        ProblemCode: "invalid_payload" | "missing_signals" | "timestamp_too_old" | "timestamp_in_future" | "feedback_too_old" | "missing_api_key" | "invalid_api_key" | "invalid_token" | "missing_source_key" | "invalid_source_key" | "credential_in_url" | "invalid_link" | "several_credentials" | "invalid_signature" | "insufficient_scope" | "other_person" | "grant_required" | "link_not_recent" | "page_required" | "consent_required" | "biometrics_refused" | "origin_not_allowed" | "path_not_found" | "session_not_found" | "subject_not_found" | "consent_not_found" | "topic_not_found" | "fact_not_found" | "device_not_found" | "source_key_not_found" | "link_not_found" | "webhook_not_found" | "alert_rule_not_found" | "delivery_not_found" | "method_not_allowed" | "request_timeout" | "headers_too_large" | "body_too_large" | "unsupported_media_type" | "validation_failed" | "subject_mismatch" | "sample_too_old" | "rate_limit_exceeded" | "rotation_in_progress" | "consent_off" | "consent_outdated" | "subject_erased" | "idempotency_key_in_use" | "idempotency_key_reused" | "internal_error" | "service_unavailable";
        /** @description Problem details as in RFC 9457. */
        Problem: {
            /**
             * Format: uri
             * @description The `code` as a URN. The guide on errors (`/docs/errors/#{code}`) states the cause and the fix.
             * @example urn:problem-type:realtime-state-service:invalid_payload
             */
            type: string;
            /**
             * @description Name of the status.
             * @example Bad Request
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 400
             */
            status: number;
            /**
             * @description What is wrong, for people.
             * @example Invalid payload
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description The `X-Request-Id` of this response.
             * @example 01JD6Z7Q8N4W3V5K2M9T
             */
            request_id: string;
            hint?: components["schemas"]["Hint"];
            position?: components["schemas"]["JsonPosition"];
            /**
             * @description Maximum age of the timestamp. Only with `timestamp_too_old` and `feedback_too_old`.
             * @example 691200
             */
            max_age_seconds?: number;
        };
        /**
         * @description The next step, for people and agents, by the form of the request. Absent if there is none. New texts may be added.
         * @example The body is empty. Send JSON, as the examples of the operation show
         */
        Hint: string;
        /**
         * @description Where a body, or a line of a batch, stops being JSON: the first character that may not stand there, or the start of
         *     a text or number that is not valid. After the last character if the end is missing. Only with
         *     `invalid_payload`, and only if the body is not empty.
         */
        JsonPosition: {
            /**
             * @description Line of the body, from 1. Always 1 in a line of a batch.
             * @example 1
             */
            line: number;
            /**
             * @description Column of the line, from 1, in UTF-16 code units.
             * @example 18
             */
            column: number;
        };
        /** @description Problem details with up to 20 validation errors. `detail` is the detail of the first error. */
        ValidationProblem: {
            /**
             * Format: uri
             * @description The `code` as a URN. The guide on errors (`/docs/errors/#{code}`) states the cause and the fix.
             * @example urn:problem-type:realtime-state-service:validation_failed
             */
            type: string;
            /**
             * @description Name of the status.
             * @example Unprocessable Content
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 422
             */
            status: number;
            /**
             * @description The detail of the first error, for people.
             * @example Input should be a valid number
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description The `X-Request-Id` of this response.
             * @example 01JD6Z7Q8N4W3V5K2M9T
             */
            request_id: string;
            hint?: components["schemas"]["Hint"];
            /** @description The validation errors, at most the first 20. */
            errors: components["schemas"]["Fault"][];
            /**
             * @description Number of further validation errors that `errors` does not name. Absent if it names all.
             * @example 20
             */
            errors_omitted?: number;
        };
        /**
         * @description Name of a limit, as in `RateLimit-Policy`. New names may be added.
         * @example session
         * @enum {string}
         */
        LimitPolicy: "session" | "new-sessions" | "month" | "failed-authentications" | "streams" | "exports" | "batches" | "requests" | "posts";
        /** @description Problem details of a request that exceeded a limit. */
        RateLimitProblem: {
            /**
             * Format: uri
             * @description The `code` as a URN. The guide on errors (`/docs/errors/#{code}`) states the cause and the fix.
             * @example urn:problem-type:realtime-state-service:rate_limit_exceeded
             */
            type: string;
            /**
             * @description Name of the status.
             * @example Too Many Requests
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 429
             */
            status: number;
            /**
             * @description What is wrong, for people.
             * @example Rate limit exceeded
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description The `X-Request-Id` of this response.
             * @example 01JD6Z7Q8N4W3V5K2M9T
             */
            request_id: string;
            /**
             * @description The limits that were exceeded.
             * @example [
             *       "session"
             *     ]
             */
            violated_policies: components["schemas"]["LimitPolicy"][];
        };
        /** @description One validation error, at `pointer` in the body or in the query parameter `parameter`. */
        Fault: {
            /**
             * @description What is wrong, for people.
             * @example Input should be a valid number
             */
            detail: string;
            /**
             * @description Stable name of a validation error. New codes may be added.
             * @example number_type
             * @enum {string}
             */
            code: "number_type" | "event_of_person" | "too_many_alert_rules" | "other_condition" | "integer_type" | "string_type" | "object_type" | "array_type" | "encoded_twice" | "boolean_type" | "enum" | "extra_forbidden" | "missing" | "greater_than_equal" | "less_than_equal" | "string_too_short" | "string_too_long" | "too_few_items" | "too_many_items" | "not_unique" | "pattern_mismatch" | "date_time_invalid" | "repeated" | "exclusive" | "url_invalid" | "url_scheme" | "url_credentials" | "url_fragment" | "address_refused" | "too_many_webhooks" | "too_many_source_keys" | "too_many_links" | "links_unavailable" | "fact_end" | "fact_level" | "too_many_facts" | "too_many_disputes" | "device_unknown" | "device_label" | "too_many_devices" | "ndjson_only" | "source_form" | "signing_secret" | "cursor_invalid" | "range_empty" | "time_zone_invalid" | "time_zone_of_hours" | "invalid" | "subject_mismatch" | "sample_mismatch" | "idempotency_key_reused";
            /**
             * @description JSON Pointer (RFC 6901) into the body. Empty for the body itself.
             * @example /sentiment
             */
            pointer?: string;
            /**
             * @description Name of the query parameter.
             * @example minutes
             */
            parameter?: string;
            /**
             * @description The allowed values of the enumeration.
             * @example [
             *       "calm",
             *       "tense"
             *     ]
             */
            allowed?: string[];
            /**
             * @description The known name that is most similar to an unknown one (`extra_forbidden`). Absent if no known name is similar.
             * @example heart_rate
             */
            suggestion?: string;
        };
    };
    responses: {
        /**
         * @description The body is not JSON or empty (`invalid_payload`), contains no usable signal (`missing_signals`), or its
         *     timestamp is outside the accepted range (`timestamp_too_old`, `timestamp_in_future`).
         */
        BadReading: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON or empty (`invalid_payload`), or its timestamp is outside the accepted range (`feedback_too_old`, `timestamp_in_future`). */
        BadFeedback: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body contains no reading, or the brackets of its array do not match (`invalid_payload`). A line or array item that is not JSON only affects its own result. */
        EmptyBatch: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON or empty (`invalid_payload`). */
        InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no such alert rule. */
        AlertRuleNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no such webhook. */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The first request with this `Idempotency-Key` has not finished. Send the same request again after `Retry-After` seconds. */
        IdempotencyKeyInUse: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The previous secret is still valid (`rotation_in_progress`), or the first request with this `Idempotency-Key` has not finished (`idempotency_key_in_use`). Retry after `Retry-After` seconds. */
        RotationConflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Missing, unknown, repeated or malformed parameters, or an `Idempotency-Key` of a different request (`idempotency_key_reused`). */
        InvalidIdempotentRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /** @description This account has no such delivery, or it is no longer retained. */
        DeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Wrong types, values or fields, a URL that is not an allowed target, or too many webhooks. Up to 20 errors are listed. */
        InvalidWebhookRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /** @description The `X-Service-Key` header is missing (`missing_api_key`), the key is unknown, revoked, expired or not valid from this address (`invalid_api_key`), or the session token or OAuth token is not valid for this request (`invalid_token`). */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The key is valid, but it was created without the scope that this operation requires (`x-scope`). `detail` names
         *     the scope. Or the OAuth token lacks the scope, or names another person (`other_person`).
         */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The key was created without the scope that this operation requires (`insufficient_scope`), or the account enforces
         *     consent and the reading has none (`consent_required`).
         */
        ForbiddenReading: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The key was created without the scope `consent` (`insufficient_scope`), or the context does not permit biometric
         *     categories (`biometrics_refused`).
         */
        ForbiddenConsent: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON or empty (`invalid_payload`), or `event_time` is more than 60 s ahead (`timestamp_in_future`). */
        BadConsent: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The person of this conversation turn was erased at or after its `timestamp`. Nothing was stored. */
        ErasedSubject: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The mode of the account is `off` (`consent_off`), or a later decision of the person or a withdrawal is recorded (`consent_outdated`). */
        ConsentConflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Missing, unknown or malformed fields or parameters. Up to 20 errors are listed. */
        InvalidConsent: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /** @description No consent is recorded for the subject. */
        ConsentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The subject has no such topic, or the account has no data for the subject. */
        TopicNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The subject has no such fact, or the account has no data for the subject. */
        FactNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no data for the subject. */
        SubjectNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no data for the session (`session_not_found`) or the subject (`subject_not_found`). */
        NoData: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than 4,096 bytes, as declared or as sent. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source key is missing, or what the URL contains is neither one nor the id of a connection (`missing_source_key`), or the key is not valid for this source (`invalid_source_key`), a service key or token stands in the URL (`credential_in_url`), the request has several credentials (`several_credentials`), or the signature of a hub is not valid (`invalid_signature`). */
        SourceUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The path cannot be decoded. */
        PathNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than 20,971,520 bytes, as declared, as sent, or after inflating gzip. */
        SourceTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json` in UTF-8, or compressed in another way than gzip. */
        UnsupportedSourceType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown parameters or source, a body that is not of the form of the source (`source_form`), or one that is nested more than 32 deep. */
        InvalidSource: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /** @description The person has no such link. */
        LinkNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account, or the person of the token, has no such device. */
        DeviceNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The account has no such source key. */
        SourceKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                RateLimit: components["headers"]["RateLimitIfAny"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json` in UTF-8, or it is compressed. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than 1,048,576 bytes, as declared or as sent. */
        BatchTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is neither `application/json` nor `application/x-ndjson` in UTF-8, or it is compressed. */
        UnsupportedBatchType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Wrong types, values or fields, or a subject that differs from the session's subject. Up to 20 errors are listed. */
        InvalidSubmission: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /** @description Missing, unknown, repeated or malformed parameters. Up to 20 errors are listed. */
        InvalidParameters: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationProblem"];
            };
        };
        /**
         * @description A quota is exceeded: the session's requests (`session`), the key's new sessions (`new-sessions`), the account's
         *     calls this month (`month`), the account's requests (`requests`) or the person's posts (`posts`) in progress. Nothing was stored. Resend the same request after `Retry-After` seconds.
         */
        RateLimitExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitProblem"];
            };
        };
        /** @description The request line and the headers are larger than 8 KB. */
        HeadersTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An internal error. Nothing was stored. The service's log contains the cause with the request id. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database is unreachable, the queue is full or the service is shutting down. Resend the same request after `Retry-After` seconds. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description The app or device that sends the body, as in the source key.
         * @example health_auto_export
         */
        SourceName: components["schemas"]["Source"];
        /**
         * @description The `id` of the source key.
         * @example srk_4f1c9e0b7a2d
         */
        SourceKeyIdInPath: components["schemas"]["Identifier"];
        /**
         * @description The `id` of the link.
         * @example lnk_4f1c9e0b7a2d
         */
        LinkIdInPath: components["schemas"]["Identifier"];
        /**
         * @description Only source keys of this person.
         * @example 5f2b51ca2b4d1a7e
         */
        SourceKeySubject: components["schemas"]["Identifier"];
        /**
         * @description The session to read. Exactly one of `session_id` and `subject_id` is required. Case-sensitive.
         * @example demo-session
         */
        ReadSession: components["schemas"]["Identifier"];
        /** @description The person to read, over all sessions. Exactly one of `session_id` and `subject_id` is required. Case-sensitive. */
        ReadSubject: components["schemas"]["Identifier"];
        /**
         * @description The `subject_id` of the readings. Case-sensitive.
         * @example 5f2b51ca2b4d1a7e
         */
        SubjectId: components["schemas"]["Identifier"];
        /**
         * @description Only events of this session. The session may be without data. Not together with `subject_id`.
         * @example demo-session
         */
        StreamedSession: components["schemas"]["Identifier"];
        /** @description Only events of this person's sessions. The person may be without data. Not together with `session_id`. */
        StreamedSubject: components["schemas"]["Identifier"];
        /**
         * @description Only this type of event, after `ready`. Without it, both types are sent.
         * @example state_change
         */
        StreamedEvents: components["schemas"]["StreamEventType"];
        /**
         * @description Continue after this event. Same as the header `Last-Event-ID`, which `EventSource` sends when it reconnects and which
         *     takes precedence.
         * @example 1795253400000001
         */
        LastEventId: components["schemas"]["EventId"];
        /**
         * @description A session token with the scope `read`, for `EventSource`, which cannot set headers. The service does not log it.
         *     Prefer `Authorization: Bearer …` where possible: proxies may log the query.
         * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vLXNlc3Npb24ifQ.c2lnbmF0dXJl
         */
        AccessToken: string;
        /**
         * @description Only readings of this session. Not together with `subject_id`.
         * @example demo-session
         */
        ExportedSession: components["schemas"]["Identifier"];
        /** @description Only readings of this person's sessions. Not together with `session_id`. */
        ExportedSubject: components["schemas"]["Identifier"];
        /**
         * @description Format of the response. The header `Accept` does not select it.
         * @example ndjson
         */
        ExportFormatInQuery: components["schemas"]["ExportFormat"];
        /** @description With `facts`, lines `{"fact":{…}}` follow the readings, one per `Fact` of the person or account. NDJSON only. */
        ExportInclude: "facts";
        /**
         * @description Continue after the row with this `cursor`.
         * @example 1795253400000000
         */
        ExportCursor: components["schemas"]["EventId"];
        /**
         * @description Only sessions of this person.
         * @example 5f2b51ca2b4d1a7e
         */
        SubjectIdFilter: components["schemas"]["Identifier"];
        /**
         * @description Only sessions in one of these states. Repeat the parameter, or separate the states by commas. The pages are a
         *     snapshot.
         * @example [
         *       "stressed",
         *       "acute_stress"
         *     ]
         */
        SessionStateFilter: components["schemas"]["SessionState"][];
        /**
         * @description The order of the sessions. `started`: latest start first. `score`: highest score first, and sessions that have
         *     ended after all others, also by their score. `activity`: newest reading first.
         * @example score
         */
        SessionSort: components["schemas"]["SessionOrder"];
        /**
         * @description Maximum number of recent points per session. They suffice for a sparkline. The default is 0.
         * @example 20
         */
        SessionPoints: number;
        /**
         * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
         * @example 5f2b51ca2b4d1a7e
         */
        SubjectIdInPath: components["schemas"]["Identifier"];
        /**
         * @description Name of the topic, as in the triggers of the person.
         * @example exams
         */
        TopicInPath: components["schemas"]["TopicName"];
        /**
         * @description Start of the range, RFC 3339 in UTC. Earlier than `to`. Default: 7 days before `to`, or 30 days for days.
         * @example 2026-11-14T00:00:00.000Z
         */
        SummaryFrom: components["schemas"]["SinceInstant"];
        /**
         * @description End of the range, RFC 3339 in UTC. Rows begin before it. Default: the time of the request.
         * @example 2026-11-21T00:00:00.000Z
         */
        SummaryTo: components["schemas"]["SinceInstant"];
        /**
         * @description Length of a row, an hour or a day. Default hour.
         * @example day
         */
        SummaryIntervalInQuery: components["schemas"]["SummaryInterval"];
        /**
         * @description Time zone of the days. Only with `interval=day`. Default UTC.
         * @example Europe/Vienna
         */
        SummaryTimeZone: components["schemas"]["TimeZone"];
        /**
         * @description The id of the device, or of a source key.
         * @example watch_4f1c9e0b7a2d
         */
        DeviceIdInPath: components["schemas"]["Identifier"];
        /**
         * @description Only if it is a device of this person. A token of a person need not send it.
         * @example 5f2b51ca2b4d1a7e
         */
        DeviceOfSubject: components["schemas"]["Identifier"];
        /**
         * @description The person.
         * @example 5f2b51ca2b4d1a7e
         */
        DeviceSubject: components["schemas"]["Identifier"];
        /**
         * @description The id of the fact, which the client creates. It names a fact of one person.
         * @example run-4711
         */
        FactIdInPath: components["schemas"]["Identifier"];
        /**
         * @description The person.
         * @example 5f2b51ca2b4d1a7e
         */
        FactSubject: components["schemas"]["Identifier"];
        /** @description Only facts that end after this time. Without it, all. */
        FactsFrom: components["schemas"]["SinceInstant"];
        /** @description Only facts that start before this time. Without it, all. */
        FactsTo: components["schemas"]["SinceInstant"];
        /**
         * @description Only reports of this person.
         * @example 5f2b51ca2b4d1a7e
         */
        FeedbackSubject: components["schemas"]["Identifier"];
        /**
         * @description The `id` of the rule.
         * @example alr_9d2c4e6f8a0b1c3d5e7f
         */
        AlertRuleIdInPath: components["schemas"]["Identifier"];
        /**
         * @description The `id` that the registration returned.
         * @example wh_4f1c9e0b7a2d4c8e9f60
         */
        WebhookIdInPath: components["schemas"]["Identifier"];
        /**
         * @description Only deliveries of this webhook.
         * @example wh_4f1c9e0b7a2d4c8e9f60
         */
        WebhookIdFilter: components["schemas"]["Identifier"];
        /**
         * @description Only deliveries of this session.
         * @example demo-session
         */
        SessionIdFilter: components["schemas"]["Identifier"];
        /**
         * @description The delivery, by the `webhook-id` of its attempts.
         * @example dlv_2b7e9d4f6a1c4e3b8d05
         */
        DeliveryIdInPath: components["schemas"]["Identifier"];
        /**
         * @description Deliveries with this status only. If absent, those that are delivered or failed.
         * @example delivered
         */
        DeliveryOutcomeFilter: components["schemas"]["DeliveryOutcome"];
        /**
         * @description Only deliveries that were settled (delivered or failed) at or after this time. RFC 3339 in UTC.
         * @example 2026-11-21T09:00:00.000Z
         */
        Since: components["schemas"]["SinceInstant"];
        /**
         * @description Only deliveries that failed at or after this time. With `sort=event_time`, only deliveries of events at or after
         *     this time. RFC 3339 in UTC.
         * @example 2026-11-21T09:00:00.000Z
         */
        FailedSince: components["schemas"]["SinceInstant"];
        /**
         * @description The time by which the list is ordered, newest first. `since` and `cursor` refer to the same time.
         * @example failure_time
         */
        FailedSort: components["schemas"]["FailedDeliverySort"];
        /**
         * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
         * @example
         */
        Cursor: string;
        /**
         * @description Makes a resend safe, as in draft-ietf-httpapi-idempotency-key-header-07. Choose a new key, such as a UUID, for
         *     each request. If the response is lost, send the same request with the same key again. The resend gets the
         *     stored response and changes nothing. Keys are stored for 24 hours, and a secret in the response for 60 minutes.
         *     Visible ASCII, with or without double quotes.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description `sha256=` and the lowercase hex HMAC-SHA256 of the raw body bytes, keyed with the secret string as issued
         *     (`whsec_…`). For 24 hours after a rotation, the header contains two signatures, separated by a comma. Split
         *     the header before you compare.
         * @example sha256=5f2b51ca2b4d1a7e5f2b51ca2b4d1a7e5f2b51ca2b4d1a7e5f2b51ca2b4d1a7e
         */
        ServiceSignature: string;
        /**
         * @description Identifies the delivery (Standard Webhooks). It is the same on every attempt and identifies duplicates.
         * @example dlv_2b7e9d4f6a1c4e3b8d05
         */
        DeliveryIdHeader: components["schemas"]["DeliveryId"];
        /**
         * @description Time of this attempt in Unix seconds (Standard Webhooks). Reject old values to prevent replays.
         * @example 1795253400
         */
        DeliveryTimestampHeader: string;
        /**
         * @description Version of CloudEvents. The `ce-` headers are not signed.
         * @example 1.0
         */
        CloudEventVersion: "1.0";
        /**
         * @description The `webhook-id`.
         * @example dlv_2b7e9d4f6a1c4e3b8d05
         */
        CloudEventId: string;
        /**
         * @description `PUBLIC_URL`, or `/` without one.
         * @example https://state.example.com
         */
        CloudEventSource: string;
        /**
         * @description `event` of the body.
         * @example state_change
         */
        CloudEventType: "state_change" | "alert" | "trigger_active";
        /**
         * @description `timestamp` of the body.
         * @example 2026-11-21T09:30:00.000Z
         */
        CloudEventTime: string;
        /**
         * @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the decoded secret
         *     (Standard Webhooks). For 24 hours after a rotation, the header contains two signatures, separated by a space.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        StandardSignature: string;
        /**
         * @description Length of the window in minutes: datapoints with a `timestamp` later than now, or than `until`, minus `minutes`. At
         *     most 60, so that the response stays bounded. Decimal digits only.
         * @example 5
         */
        Minutes: number;
        /**
         * @description End of the window, inclusive. Without it, the window ends now. Use the `timestamp` of the newest reading to get the
         *     last minutes of a session that has ended. Epoch milliseconds are accepted, too.
         * @example 2026-11-21T09:30:00.000Z
         */
        Until: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies this request in the service's logs. */
        RequestId: string;
        /** @description The schemes that the service accepts (RFC 9110). All 401 responses have the same value. */
        Challenge: string;
        /** @description Seconds to wait before resending the request. */
        RetryAfter: number;
        /**
         * @description The quotas that the request was counted against, as a list of structured field items: `q` requests within `w`
         *     seconds. Without `w`, the quota applies to the calendar month. As in draft-ietf-httpapi-ratelimit-headers-11.
         */
        RateLimitPolicy: string;
        /**
         * @description The remaining quota: `r` requests, and `t` seconds until the window ends. As in
         *     draft-ietf-httpapi-ratelimit-headers-11.
         */
        RateLimit: string;
        /** @description Same as `RateLimitPolicy`. Absent when no quota applies. */
        RateLimitPolicyIfAny: string;
        /** @description Same as `RateLimit`. Absent when no quota applies. */
        RateLimitIfAny: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    ingest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One reading. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignalSubmission"];
            };
        };
        responses: {
            /** @description The state of the session after this reading. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateReading"];
                };
            };
            400: components["responses"]["BadReading"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenReading"];
            409: components["responses"]["ErasedSubject"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidSubmission"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    ingestBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1,000 readings as a JSON array or as NDJSON, at most 1,048,576 bytes of UTF-8, not compressed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadingArray"];
                "application/x-ndjson": components["schemas"]["ReadingLines"];
            };
        };
        responses: {
            /** @description The result of each line. Some or all lines may be rejected. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            400: components["responses"]["EmptyBatch"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BatchTooLarge"];
            415: components["responses"]["UnsupportedBatchType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getState: {
        parameters: {
            query?: {
                /**
                 * @description The session to read. Exactly one of `session_id` and `subject_id` is required. Case-sensitive.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["ReadSession"];
                /** @description The person to read, over all sessions. Exactly one of `session_id` and `subject_id` is required. Case-sensitive. */
                subject_id?: components["parameters"]["ReadSubject"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state as of the newest reading. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateReading"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoData"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHistory: {
        parameters: {
            query?: {
                /**
                 * @description The session to read. Exactly one of `session_id` and `subject_id` is required. Case-sensitive.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["ReadSession"];
                /** @description The person to read, over all sessions. Exactly one of `session_id` and `subject_id` is required. Case-sensitive. */
                subject_id?: components["parameters"]["ReadSubject"];
                /**
                 * @description Length of the window in minutes: datapoints with a `timestamp` later than now, or than `until`, minus `minutes`. At
                 *     most 60, so that the response stays bounded. Decimal digits only.
                 * @example 5
                 */
                minutes?: components["parameters"]["Minutes"];
                /**
                 * @description End of the window, inclusive. Without it, the window ends now. Use the `timestamp` of the newest reading to get the
                 *     last minutes of a session that has ended. Epoch milliseconds are accepted, too.
                 * @example 2026-11-21T09:30:00.000Z
                 */
                until?: components["parameters"]["Until"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The history of the window. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoData"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Only sessions of this person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id?: components["parameters"]["SubjectIdFilter"];
                /**
                 * @description Only sessions in one of these states. Repeat the parameter, or separate the states by commas. The pages are a
                 *     snapshot.
                 * @example [
                 *       "stressed",
                 *       "acute_stress"
                 *     ]
                 */
                state?: components["parameters"]["SessionStateFilter"];
                /**
                 * @description The order of the sessions. `started`: latest start first. `score`: highest score first, and sessions that have
                 *     ended after all others, also by their score. `activity`: newest reading first.
                 * @example score
                 */
                sort?: components["parameters"]["SessionSort"];
                /**
                 * @description Maximum number of recent points per session. They suffice for a sparkline. The default is 0.
                 * @example 20
                 */
                points?: components["parameters"]["SessionPoints"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only events of this session. The session may be without data. Not together with `subject_id`.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["StreamedSession"];
                /** @description Only events of this person's sessions. The person may be without data. Not together with `session_id`. */
                subject_id?: components["parameters"]["StreamedSubject"];
                /**
                 * @description Only this type of event, after `ready`. Without it, both types are sent.
                 * @example state_change
                 */
                events?: components["parameters"]["StreamedEvents"];
                /**
                 * @description Continue after this event. Same as the header `Last-Event-ID`, which `EventSource` sends when it reconnects and which
                 *     takes precedence.
                 * @example 1795253400000001
                 */
                last_event_id?: components["parameters"]["LastEventId"];
                /**
                 * @description A session token with the scope `read`, for `EventSource`, which cannot set headers. The service does not log it.
                 *     Prefer `Authorization: Bearer …` where possible: proxies may log the query.
                 * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vLXNlc3Npb24ifQ.c2lnbmF0dXJl
                 */
                access_token?: components["parameters"]["AccessToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, until either side closes the connection. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["EventStream"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportReadings: {
        parameters: {
            query?: {
                /**
                 * @description Only readings of this session. Not together with `subject_id`.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["ExportedSession"];
                /** @description Only readings of this person's sessions. Not together with `session_id`. */
                subject_id?: components["parameters"]["ExportedSubject"];
                /**
                 * @description Format of the response. The header `Accept` does not select it.
                 * @example ndjson
                 */
                format?: components["parameters"]["ExportFormatInQuery"];
                /** @description With `facts`, lines `{"fact":{…}}` follow the readings, one per `Fact` of the person or account. NDJSON only. */
                include?: components["parameters"]["ExportInclude"];
                /**
                 * @description Continue after the row with this `cursor`.
                 * @example 1795253400000000
                 */
                cursor?: components["parameters"]["ExportCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The readings, in the requested format. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExportedLines"];
                    "text/csv": components["schemas"]["ExportedTable"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoData"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The session, the person and the scopes of the token. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The token. The service does not store it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionToken"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSourceKeys: {
        parameters: {
            query?: {
                /**
                 * @description Only source keys of this person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id?: components["parameters"]["SourceKeySubject"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The source keys, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceKeyList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSourceKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The person, the source and the validity. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceKeyRequest"];
            };
        };
        responses: {
            /** @description The source key with its `key`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceKey"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeSourceKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the source key.
                 * @example srk_4f1c9e0b7a2d
                 */
                id: components["parameters"]["SourceKeyIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SourceKeyNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The app or device that sends the body, as in the source key.
                 * @example health_auto_export
                 */
                source: components["parameters"]["SourceName"];
            };
            cookie?: never;
        };
        /**
         * @description The body as the app sends it, at most 20,971,520 bytes of UTF-8 JSON, also after inflating gzip. For the source
         *     `generic` and for hubs also an array of such objects. A time, value or name has at most 256 characters:
         *     a sample with a longer one is skipped, and of a longer name of a device the start counts.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceBody"];
            };
        };
        responses: {
            /** @description What was stored, and what was skipped. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceResult"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["SourceUnauthorized"];
            404: components["responses"]["PathNotFound"];
            413: components["responses"]["SourceTooLarge"];
            415: components["responses"]["UnsupportedSourceType"];
            422: components["responses"]["InvalidSource"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTriggers: {
        parameters: {
            query: {
                /**
                 * @description The `subject_id` of the readings. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trigger profile of the subject. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerProfile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The baseline of the subject and the number of its sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubjectProfile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All data about the subject is erased. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
                /**
                 * @description Name of the topic, as in the triggers of the person.
                 * @example exams
                 */
                topic: components["parameters"]["TopicInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["TopicNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest version of the consent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ConsentNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        /** @description The consent. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentSubmission"];
            };
        };
        responses: {
            /** @description The recorded version. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
            400: components["responses"]["BadConsent"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenConsent"];
            404: components["responses"]["PathNotFound"];
            409: components["responses"]["ConsentConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidConsent"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConsentVersions: {
        parameters: {
            query?: {
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentVersions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ConsentNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubjectSummary: {
        parameters: {
            query?: {
                /**
                 * @description Start of the range, RFC 3339 in UTC. Earlier than `to`. Default: 7 days before `to`, or 30 days for days.
                 * @example 2026-11-14T00:00:00.000Z
                 */
                from?: components["parameters"]["SummaryFrom"];
                /**
                 * @description End of the range, RFC 3339 in UTC. Rows begin before it. Default: the time of the request.
                 * @example 2026-11-21T00:00:00.000Z
                 */
                to?: components["parameters"]["SummaryTo"];
                /**
                 * @description Length of a row, an hour or a day. Default hour.
                 * @example day
                 */
                interval?: components["parameters"]["SummaryIntervalInQuery"];
                /**
                 * @description Time zone of the days. Only with `interval=day`. Default UTC.
                 * @example Europe/Vienna
                 */
                time_zone?: components["parameters"]["SummaryTimeZone"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of hours or days. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubjectSummary"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PathNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        /** @description The grants and the validity. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkRequest"];
            };
        };
        responses: {
            /** @description The link with its `url`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PathNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
                /**
                 * @description The `id` of the link.
                 * @example lnk_4f1c9e0b7a2d
                 */
                link_id: components["parameters"]["LinkIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LinkNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAccesses: {
        parameters: {
            query?: {
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accesses. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listReceiptKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptKeyList"];
                };
            };
            422: components["responses"]["InvalidParameters"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubjectAgreement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `subject_id` of the readings, percent-encoded where a path requires it. Case-sensitive.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["SubjectIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agreement. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agreement"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SubjectNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDevices: {
        parameters: {
            query: {
                /**
                 * @description The person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["DeviceSubject"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The devices of the person. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The person, and what the device is. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceRequest"];
            };
        };
        responses: {
            /** @description The device of this person and name, which exists already. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            /** @description The new device. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDevice: {
        parameters: {
            query?: {
                /**
                 * @description Only if it is a device of this person. A token of a person need not send it.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id?: components["parameters"]["DeviceOfSubject"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the device, or of a source key.
                 * @example watch_4f1c9e0b7a2d
                 */
                device_id: components["parameters"]["DeviceIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DeviceNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the device, or of a source key.
                 * @example watch_4f1c9e0b7a2d
                 */
                device_id: components["parameters"]["DeviceIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DeviceNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putFact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the fact, which the client creates. It names a fact of one person.
                 * @example run-4711
                 */
                fact_id: components["parameters"]["FactIdInPath"];
            };
            cookie?: never;
        };
        /** @description The fact. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["FactSubmission"];
            };
        };
        responses: {
            /** @description The stored fact. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fact"];
                };
            };
            400: components["responses"]["BadReading"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenReading"];
            404: components["responses"]["PathNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteFact: {
        parameters: {
            query: {
                /**
                 * @description The person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["FactSubject"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the fact, which the client creates. It names a fact of one person.
                 * @example run-4711
                 */
                fact_id: components["parameters"]["FactIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["FactNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFacts: {
        parameters: {
            query: {
                /**
                 * @description The person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id: components["parameters"]["FactSubject"];
                /** @description Only facts that end after this time. Without it, all. */
                from?: components["parameters"]["FactsFrom"];
                /** @description Only facts that start before this time. Without it, all. */
                to?: components["parameters"]["FactsTo"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of facts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FactList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFeedback: {
        parameters: {
            query?: {
                /**
                 * @description Only reports of this person.
                 * @example 5f2b51ca2b4d1a7e
                 */
                subject_id?: components["parameters"]["FeedbackSubject"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The report. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackSubmission"];
            };
        };
        responses: {
            /** @description The stored report. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feedback"];
                };
            };
            400: components["responses"]["BadFeedback"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoData"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgreement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agreement. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agreement"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAlertRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules, at most 50. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The condition and the people. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRuleRequest"];
            };
        };
        responses: {
            /** @description The existing rule, which is equal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description The new rule. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the rule.
                 * @example alr_9d2c4e6f8a0b1c3d5e7f
                 */
                id: components["parameters"]["AlertRuleIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AlertRuleNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    registerWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a resend safe, as in draft-ietf-httpapi-idempotency-key-header-07. Choose a new key, such as a UUID, for
                 *     each request. If the response is lost, send the same request with the same key again. The resend gets the
                 *     stored response and changes nothing. Keys are stored for 24 hours, and a secret in the response for 60 minutes.
                 *     Visible ASCII, with or without double quotes.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The target and the events. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRegistration"];
            };
        };
        responses: {
            /** @description The existing registration, without its secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Registered. Store the secret; it is not shown again. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyKeyInUse"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidWebhookRequest"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks of the account, at most 100. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` that the registration returned.
                 * @example wh_4f1c9e0b7a2d4c8e9f60
                 */
                id: components["parameters"]["WebhookIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a resend safe, as in draft-ietf-httpapi-idempotency-key-header-07. Choose a new key, such as a UUID, for
                 *     each request. If the response is lost, send the same request with the same key again. The resend gets the
                 *     stored response and changes nothing. Keys are stored for 24 hours, and a secret in the response for 60 minutes.
                 *     Visible ASCII, with or without double quotes.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` that the registration returned.
                 * @example wh_4f1c9e0b7a2d4c8e9f60
                 */
                id: components["parameters"]["WebhookIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["RotationConflict"];
            422: components["responses"]["InvalidIdempotentRequest"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a resend safe, as in draft-ietf-httpapi-idempotency-key-header-07. Choose a new key, such as a UUID, for
                 *     each request. If the response is lost, send the same request with the same key again. The resend gets the
                 *     stored response and changes nothing. Keys are stored for 24 hours, and a secret in the response for 60 minutes.
                 *     Visible ASCII, with or without double quotes.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` that the registration returned.
                 * @example wh_4f1c9e0b7a2d4c8e9f60
                 */
                id: components["parameters"]["WebhookIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Queued. It is sent immediately. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestAccepted"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["IdempotencyKeyInUse"];
            422: components["responses"]["InvalidIdempotentRequest"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFailedDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries of this webhook.
                 * @example wh_4f1c9e0b7a2d4c8e9f60
                 */
                webhook_id?: components["parameters"]["WebhookIdFilter"];
                /**
                 * @description Only deliveries of this session.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["SessionIdFilter"];
                /**
                 * @description Only deliveries that failed at or after this time. With `sort=event_time`, only deliveries of events at or after
                 *     this time. RFC 3339 in UTC.
                 * @example 2026-11-21T09:00:00.000Z
                 */
                since?: components["parameters"]["FailedSince"];
                /**
                 * @description The time by which the list is ordered, newest first. `since` and `cursor` refer to the same time.
                 * @example failure_time
                 */
                sort?: components["parameters"]["FailedSort"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of failed deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailedDeliveryList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The deliveries to retry. At most 4,096 bytes of UTF-8 JSON. Unknown fields are rejected. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryRequest"];
            };
        };
        responses: {
            /** @description Queued again. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryAccepted"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidWebhookRequest"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Deliveries with this status only. If absent, those that are delivered or failed.
                 * @example delivered
                 */
                status?: components["parameters"]["DeliveryOutcomeFilter"];
                /**
                 * @description Only deliveries of this webhook.
                 * @example wh_4f1c9e0b7a2d4c8e9f60
                 */
                webhook_id?: components["parameters"]["WebhookIdFilter"];
                /**
                 * @description Only deliveries of this session.
                 * @example demo-session
                 */
                session_id?: components["parameters"]["SessionIdFilter"];
                /**
                 * @description Only deliveries that were settled (delivered or failed) at or after this time. RFC 3339 in UTC.
                 * @example 2026-11-21T09:00:00.000Z
                 */
                since?: components["parameters"]["Since"];
                /**
                 * @description The `next_cursor` of the previous page. Use it with the same filters. Empty means the first page.
                 * @example
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The delivery, by the `webhook-id` of its attempts.
                 * @example dlv_2b7e9d4f6a1c4e3b8d05
                 */
                delivery_id: components["parameters"]["DeliveryIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicyIfAny"];
                    RateLimit: components["headers"]["RateLimitIfAny"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DeliveryNotFound"];
            422: components["responses"]["InvalidParameters"];
            429: components["responses"]["RateLimitExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            422: components["responses"]["InvalidParameters"];
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The database is reachable, its migrations are current and it accepts writes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            422: components["responses"]["InvalidParameters"];
            431: components["responses"]["HeadersTooLarge"];
            503: components["responses"]["Unavailable"];
        };
    };
}
