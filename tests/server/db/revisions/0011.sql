BEGIN TRANSACTION;
CREATE TABLE accounts (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name VARCHAR(80) NOT NULL, 
	display_name VARCHAR(80) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	password_hash VARCHAR(300), 
	created_at DATETIME NOT NULL, 
	disabled_at DATETIME, 
	session_epoch INTEGER NOT NULL, totp_secret VARCHAR(64), totp_step BIGINT, 
	CONSTRAINT ck_accounts_ck_accounts_role CHECK (role IN ('candidate', 'coach', 'admin')), 
	CONSTRAINT uq_accounts_name UNIQUE (name)
);
INSERT INTO "accounts" VALUES(1,'ana','Ana','candidate',NULL,'2026-03-04 12:00:00.000000',NULL,0,NULL,NULL);
INSERT INTO "accounts" VALUES(2,'kim','Kim','coach',NULL,'2026-03-04 12:00:00.000000',NULL,0,'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',1);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0011');
CREATE TABLE answer_facts (
	attempt_id INTEGER NOT NULL, 
	report_id INTEGER NOT NULL, 
	owner_id INTEGER, 
	created_at DATETIME NOT NULL, 
	topic VARCHAR NOT NULL, 
	score FLOAT NOT NULL, 
	grader_version VARCHAR(100) NOT NULL, 
	corrections INTEGER NOT NULL, 
	corrections_ids BIGINT NOT NULL, 
	corrected_at DATETIME, 
	CONSTRAINT pk_answer_facts PRIMARY KEY (attempt_id), 
	CONSTRAINT fk_answer_facts_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_answer_facts_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "answer_facts" VALUES(1,1,NULL,'2026-03-01 12:00:00.000000','KV Cache Management',0.5,'stub-1',0,0,NULL);
INSERT INTO "answer_facts" VALUES(2,3,NULL,'2026-03-01 12:00:00.000000','KV Cache Management',0.0,'stub-2',0,0,NULL);
INSERT INTO "answer_facts" VALUES(3,4,1,'2026-03-01 12:00:00.000000','KV Cache Management',0.5,'stub-1',0,0,NULL);
CREATE TABLE "attempts" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	submission_id VARCHAR(32) NOT NULL, 
	question_id VARCHAR(80) NOT NULL, 
	role VARCHAR(80), 
	round VARCHAR(40) NOT NULL, 
	topic VARCHAR NOT NULL, 
	engine VARCHAR(500) NOT NULL, 
	created_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	submission JSON NOT NULL, 
	question JSON NOT NULL, 
	owner_id INTEGER, 
	interview_id VARCHAR(32), sense JSON, 
	CONSTRAINT fk_attempts_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "attempts" VALUES(1,'00000000000000000000000000000001','kv-cache','ml-engineer','domain-deep-dive','KV Cache Management','faster-whisper','2026-03-01 12:00:00.000000','2026-03-02 12:00:01.000000','{"submission_id": "00000000000000000000000000000001", "question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "evidence": {"answer_start_s": null, "answer_end_s": null, "pauses": null, "heard": [], "hearing_version": null}}','{"id": "kv-cache", "role": "ml-engineer", "round": "domain-deep-dive", "topic": "KV Cache Management", "signals": [], "difficulty": 3, "prompt": "How do you size a KV cache?", "answer_seconds": 120, "model_answer": "I page the cache and batch continuously.", "key_phrases": [{"phrase": "paged attention", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}, {"phrase": "continuous batching", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}]}',NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,'00000000000000000000000000000002','kv-cache','ml-engineer','domain-deep-dive','KV Cache Management','faster-whisper','2026-03-01 12:00:00.000000','2026-03-02 12:00:02.000000','{"submission_id": "00000000000000000000000000000002", "question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "evidence": {"answer_start_s": null, "answer_end_s": null, "pauses": null, "heard": [], "hearing_version": null}}','{"id": "kv-cache", "role": "ml-engineer", "round": "domain-deep-dive", "topic": "KV Cache Management", "signals": [], "difficulty": 3, "prompt": "How do you size a KV cache?", "answer_seconds": 120, "model_answer": "I page the cache and batch continuously.", "key_phrases": [{"phrase": "paged attention", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}, {"phrase": "continuous batching", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}]}',NULL,NULL,'{"model": "stub"}');
INSERT INTO "attempts" VALUES(3,'00000000000000000000000000000001','kv-cache','ml-engineer','domain-deep-dive','KV Cache Management','faster-whisper','2026-03-01 12:00:00.000000','2026-03-02 12:00:01.000000','{"submission_id": "00000000000000000000000000000001", "question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "evidence": {"answer_start_s": null, "answer_end_s": null, "pauses": null, "heard": [], "hearing_version": null}}','{"id": "kv-cache", "role": "ml-engineer", "round": "domain-deep-dive", "topic": "KV Cache Management", "signals": [], "difficulty": 3, "prompt": "How do you size a KV cache?", "answer_seconds": 120, "model_answer": "I page the cache and batch continuously.", "key_phrases": [{"phrase": "paged attention", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}, {"phrase": "continuous batching", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}]}',1,NULL,NULL);
CREATE TABLE audit (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at DATETIME NOT NULL, 
	actor_id INTEGER, 
	action VARCHAR(80) NOT NULL, 
	object VARCHAR(200) NOT NULL, 
	CONSTRAINT fk_audit_actor_id_accounts FOREIGN KEY(actor_id) REFERENCES accounts (id) ON DELETE SET NULL
);
CREATE TABLE bank_versions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	number INTEGER NOT NULL, 
	yaml TEXT NOT NULL, 
	lexicon_yaml TEXT NOT NULL, 
	note TEXT NOT NULL, 
	author_id INTEGER, 
	created_at DATETIME NOT NULL, 
	active BOOLEAN NOT NULL, 
	CONSTRAINT fk_bank_versions_author_id_accounts FOREIGN KEY(author_id) REFERENCES accounts (id) ON DELETE SET NULL, 
	CONSTRAINT uq_bank_versions_number UNIQUE (number)
);
CREATE TABLE cohort_members (
	cohort_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	as_role VARCHAR(20) NOT NULL, 
	CONSTRAINT pk_cohort_members PRIMARY KEY (cohort_id, account_id), 
	CONSTRAINT ck_cohort_members_ck_cohort_members_as_role CHECK (as_role IN ('candidate', 'coach')), 
	CONSTRAINT fk_cohort_members_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_cohort_members_cohort_id_cohorts FOREIGN KEY(cohort_id) REFERENCES cohorts (id) ON DELETE CASCADE
);
INSERT INTO "cohort_members" VALUES(1,1,'candidate');
INSERT INTO "cohort_members" VALUES(1,2,'coach');
CREATE TABLE cohorts (
	id INTEGER NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	created_at DATETIME NOT NULL, 
	audio_days INTEGER, 
	rubric JSON, 
	CONSTRAINT pk_cohorts PRIMARY KEY (id), 
	CONSTRAINT uq_cohorts_name UNIQUE (name)
);
INSERT INTO "cohorts" VALUES(1,'spring','2026-03-04 12:00:00.000000',30,NULL);
CREATE TABLE comments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	attempt_id INTEGER NOT NULL, 
	parent_id INTEGER, 
	author_id INTEGER, 
	guest_name VARCHAR(80), 
	kind VARCHAR(20) NOT NULL, 
	word_from INTEGER, 
	word_to INTEGER, 
	at_s FLOAT, 
	text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	edited_at DATETIME, 
	external_id VARCHAR(32) NOT NULL, 
	CONSTRAINT ck_comments_ck_comments_kind CHECK (kind IN ('word', 'span', 'moment', 'answer')), 
	CONSTRAINT fk_comments_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comments_author_id_accounts FOREIGN KEY(author_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comments_parent_id_comments FOREIGN KEY(parent_id) REFERENCES comments (id) ON DELETE CASCADE, 
	CONSTRAINT uq_comments_external_id UNIQUE (external_id)
);
INSERT INTO "comments" VALUES(1,3,NULL,2,NULL,'answer',NULL,NULL,NULL,'Well said','2026-03-04 12:00:00.000000',NULL,'00000000000000000000000000000001');
CREATE TABLE corrections (
	id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	author_id INTEGER, 
	guest_name VARCHAR(80), 
	target VARCHAR(20) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	word_index INTEGER, 
	verdict VARCHAR(40) NOT NULL, 
	note TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	external_id VARCHAR(32) NOT NULL, 
	resolved_at DATETIME, 
	CONSTRAINT pk_corrections PRIMARY KEY (id), 
	CONSTRAINT ck_corrections_ck_corrections_target CHECK (target IN ('term', 'phrase')), 
	CONSTRAINT fk_corrections_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_corrections_author_id_accounts FOREIGN KEY(author_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT uq_corrections_external_id UNIQUE (external_id)
);
CREATE TABLE drill_cards (
	id INTEGER NOT NULL, 
	owner_id INTEGER, 
	item_id VARCHAR(160) NOT NULL, 
	drill_set VARCHAR(80) NOT NULL, 
	due DATETIME NOT NULL, 
	card JSON NOT NULL, 
	CONSTRAINT pk_drill_cards PRIMARY KEY (id), 
	CONSTRAINT fk_drill_cards_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "drill_cards" VALUES(1,NULL,'roce','acronyms','2026-03-02 12:01:00.000000','{"item_id": "roce", "drill_set": "acronyms", "due": "2026-03-02T12:01:00Z", "stability": 0.24668918777567272, "difficulty": 6.402115069296838, "reps": 2, "lapses": 0, "misses": 1, "last_verdict": "correct", "first_reviewed_at": "2026-03-01T12:00:00Z", "last_reviewed_at": "2026-03-01T12:01:00Z"}');
CREATE TABLE "drill_reviews" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	review_id VARCHAR(32) NOT NULL, 
	item_id VARCHAR(160) NOT NULL, 
	drill_set VARCHAR(80) NOT NULL, 
	reviewed_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	review JSON NOT NULL, 
	owner_id INTEGER, 
	CONSTRAINT fk_drill_reviews_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "drill_reviews" VALUES(1,'00000000000000000000000000000001','roce','acronyms','2026-03-01 12:00:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000001", "item_id": "roce", "drill_set": "acronyms", "reviewed_at": "2026-03-01T12:00:00Z", "verdict": "mispronounced", "phones": "R OW1 S", "confidence": 0.97}',NULL);
INSERT INTO "drill_reviews" VALUES(2,'00000000000000000000000000000002','roce','acronyms','2026-03-01 12:01:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000002", "item_id": "roce", "drill_set": "acronyms", "reviewed_at": "2026-03-01T12:01:00Z", "verdict": "correct", "phones": "R AA1 K IY0", "confidence": 0.99}',NULL);
INSERT INTO "drill_reviews" VALUES(3,'00000000000000000000000000000003','debt','silent-letters','2026-03-01 12:02:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000003", "item_id": "debt", "drill_set": "silent-letters", "reviewed_at": "2026-03-01T12:02:00Z", "verdict": "unclear", "phones": "", "confidence": 0.4}',NULL);
CREATE TABLE ended_sessions (
	digest VARCHAR(64) NOT NULL, 
	account_id INTEGER NOT NULL, 
	until DATETIME NOT NULL, 
	CONSTRAINT pk_ended_sessions PRIMARY KEY (digest), 
	CONSTRAINT fk_ended_sessions_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "ended_sessions" VALUES('0000000000000000000000000000000000000000000000000000000000000000',1,'2026-03-20 12:00:00.000000');
CREATE TABLE invitations (
	id INTEGER NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	account_id INTEGER NOT NULL, 
	created_by INTEGER, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_invitations_created_by_accounts FOREIGN KEY(created_by) REFERENCES accounts (id) ON DELETE SET NULL, 
	CONSTRAINT uq_invitations_token_hash UNIQUE (token_hash)
);
CREATE TABLE job_files (
	job_id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	media_type VARCHAR(100) NOT NULL, 
	content BLOB NOT NULL, answers BLOB, 
	CONSTRAINT pk_job_files PRIMARY KEY (job_id), 
	CONSTRAINT fk_job_files_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
CREATE TABLE job_inputs (
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	content BLOB, 
	CONSTRAINT pk_job_inputs PRIMARY KEY (job_id), 
	CONSTRAINT fk_job_inputs_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE, 
	CONSTRAINT fk_job_inputs_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE
);
INSERT INTO "job_inputs" VALUES(1,3,X'664C6143');
CREATE TABLE jobs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind VARCHAR(40) NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	payload JSON NOT NULL, 
	progress_done INTEGER NOT NULL, 
	progress_total INTEGER NOT NULL, 
	result JSON, 
	problem TEXT, 
	owner_id INTEGER, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	heartbeat_at DATETIME, 
	attempts INTEGER NOT NULL, 
	CONSTRAINT ck_jobs_ck_jobs_state CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')), 
	CONSTRAINT fk_jobs_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "jobs" VALUES(1,'recording','queued','{"attempt_id": 3, "sha256": "0"}',0,0,NULL,NULL,1,'2026-03-04 12:00:00.000000',NULL,NULL,NULL,0);
CREATE TABLE phrase_facts (
	attempt_id INTEGER NOT NULL, 
	phrase VARCHAR(500) NOT NULL, 
	missed INTEGER NOT NULL, 
	CONSTRAINT pk_phrase_facts PRIMARY KEY (attempt_id, phrase), 
	CONSTRAINT fk_phrase_facts_attempt_id_answer_facts FOREIGN KEY(attempt_id) REFERENCES answer_facts (attempt_id) ON DELETE CASCADE
);
INSERT INTO "phrase_facts" VALUES(1,'paged attention',0);
INSERT INTO "phrase_facts" VALUES(1,'continuous batching',1);
INSERT INTO "phrase_facts" VALUES(2,'paged attention',1);
INSERT INTO "phrase_facts" VALUES(2,'continuous batching',1);
INSERT INTO "phrase_facts" VALUES(3,'paged attention',0);
INSERT INTO "phrase_facts" VALUES(3,'continuous batching',1);
CREATE TABLE recordings (
	attempt_id INTEGER NOT NULL, 
	owner_id INTEGER, 
	media_type VARCHAR(40) NOT NULL, 
	duration_s FLOAT NOT NULL, 
	content BLOB NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	uploaded_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	CONSTRAINT pk_recordings PRIMARY KEY (attempt_id), 
	CONSTRAINT ck_recordings_ck_recordings_media_type CHECK (media_type IN ('audio/flac', 'audio/ogg')), 
	CONSTRAINT fk_recordings_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_recordings_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE recovery_codes (
	digest VARCHAR(64) NOT NULL, 
	account_id INTEGER NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (digest), 
	CONSTRAINT fk_recovery_codes_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "recovery_codes" VALUES('abababababababababababababababababababababababababababababababab',2);
CREATE TABLE reports (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	attempt_id INTEGER NOT NULL, 
	grader_version VARCHAR(100) NOT NULL, 
	bank_version VARCHAR(100) NOT NULL, 
	graded_at DATETIME NOT NULL, 
	score FLOAT NOT NULL, 
	words INTEGER NOT NULL, 
	answer_s FLOAT, 
	report JSON NOT NULL, evidence JSON, corrections INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT fk_reports_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE
);
INSERT INTO "reports" VALUES(1,1,'stub-1','bank-1','2026-03-02 12:00:01.000000',0.5,4,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-1", "bank_version": "bank-1", "notices": [], "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.5, "phrases": [{"phrase": "paged attention", "status": "covered", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 4, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}',NULL,0);
INSERT INTO "reports" VALUES(2,2,'stub-1','bank-1','2026-03-02 12:00:02.000000',0.0,2,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-1", "bank_version": "bank-1", "notices": [], "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.0, "phrases": [{"phrase": "paged attention", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 2, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}',NULL,0);
INSERT INTO "reports" VALUES(3,2,'stub-2','bank-1','2026-03-05 00:00:00.000000',0.0,2,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-2", "bank_version": "bank-1", "notices": [], "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.0, "phrases": [{"phrase": "paged attention", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 2, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}',NULL,0);
INSERT INTO "reports" VALUES(4,3,'stub-1','bank-1','2026-03-02 12:00:01.000000',0.5,4,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-1", "bank_version": "bank-1", "notices": [], "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.5, "phrases": [{"phrase": "paged attention", "status": "covered", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 4, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}',NULL,0);
CREATE TABLE reviews (
	attempt_id INTEGER NOT NULL, 
	reviewer_id INTEGER NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_reviews PRIMARY KEY (attempt_id, reviewer_id), 
	CONSTRAINT ck_reviews_ck_reviews_state CHECK (state IN ('open', 'done')), 
	CONSTRAINT fk_reviews_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reviews_reviewer_id_accounts FOREIGN KEY(reviewer_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "reviews" VALUES(3,2,'done','2026-03-04 12:00:00.000000');
CREATE TABLE rubric_scores (
	id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	author_id INTEGER, 
	guest_name VARCHAR(80), 
	criterion VARCHAR(80) NOT NULL, 
	score INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	external_id VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_rubric_scores PRIMARY KEY (id), 
	CONSTRAINT fk_rubric_scores_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_rubric_scores_author_id_accounts FOREIGN KEY(author_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT uq_rubric_scores_external_id UNIQUE (external_id)
);
CREATE TABLE server_secrets (
	name VARCHAR(40) NOT NULL, 
	value VARCHAR(200) NOT NULL, 
	CONSTRAINT pk_server_secrets PRIMARY KEY (name)
);
CREATE TABLE share_links (
	id INTEGER NOT NULL, 
	share_id INTEGER NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	label VARCHAR(80) NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	revoked_at DATETIME, 
	last_used_at DATETIME, 
	CONSTRAINT pk_share_links PRIMARY KEY (id), 
	CONSTRAINT fk_share_links_share_id_shares FOREIGN KEY(share_id) REFERENCES shares (id) ON DELETE CASCADE, 
	CONSTRAINT uq_share_links_token_hash UNIQUE (token_hash)
);
CREATE TABLE shares (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner_id INTEGER, 
	attempt_id INTEGER, 
	interview_id VARCHAR(32), 
	cohort_id INTEGER, 
	with_audio BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	revoked_at DATETIME, 
	CONSTRAINT ck_shares_ck_shares_one_object CHECK ((attempt_id IS NULL) <> (interview_id IS NULL)), 
	CONSTRAINT fk_shares_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_shares_cohort_id_cohorts FOREIGN KEY(cohort_id) REFERENCES cohorts (id) ON DELETE CASCADE, 
	CONSTRAINT fk_shares_owner_id_accounts FOREIGN KEY(owner_id) REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO "shares" VALUES(1,1,3,NULL,1,0,'2026-03-04 12:00:00.000000',NULL);
CREATE TABLE sign_in_failures (
	id INTEGER NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_sign_in_failures PRIMARY KEY (id)
);
CREATE TABLE term_facts (
	attempt_id INTEGER NOT NULL, 
	term VARCHAR(500) NOT NULL, 
	judged INTEGER NOT NULL, 
	wrong INTEGER NOT NULL, 
	CONSTRAINT pk_term_facts PRIMARY KEY (attempt_id, term), 
	CONSTRAINT fk_term_facts_attempt_id_answer_facts FOREIGN KEY(attempt_id) REFERENCES answer_facts (attempt_id) ON DELETE CASCADE
);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	label VARCHAR(80) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	prefix VARCHAR(16) NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_used_at DATETIME, 
	revoked_at DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_tokens_account_id_accounts FOREIGN KEY(account_id) REFERENCES accounts (id) ON DELETE CASCADE, 
	CONSTRAINT uq_tokens_token_hash UNIQUE (token_hash)
);
CREATE INDEX ix_reports_attempt_id_id ON reports (attempt_id, id);
CREATE INDEX ix_cohort_members_account_id ON cohort_members (account_id);
CREATE INDEX ix_invitations_account_id ON invitations (account_id);
CREATE INDEX ix_tokens_account_id ON tokens (account_id);
CREATE INDEX ix_sign_in_failures_at ON sign_in_failures (at);
CREATE INDEX ix_sign_in_failures_subject_at ON sign_in_failures (subject, at);
CREATE INDEX ix_attempts_question_id ON attempts (question_id);
CREATE INDEX ix_attempts_role ON attempts (role);
CREATE INDEX ix_attempts_owner_id_created_at_id ON attempts (owner_id, created_at, id);
CREATE UNIQUE INDEX uq_attempts_owner_id_submission_id ON attempts (owner_id, submission_id);
CREATE UNIQUE INDEX uq_attempts_unowned_submission_id ON attempts (submission_id) WHERE owner_id IS NULL;
CREATE INDEX ix_drill_reviews_owner_id_item_id ON drill_reviews (owner_id, item_id);
CREATE UNIQUE INDEX uq_drill_reviews_owner_id_review_id ON drill_reviews (owner_id, review_id);
CREATE UNIQUE INDEX uq_drill_reviews_unowned_review_id ON drill_reviews (review_id) WHERE owner_id IS NULL;
CREATE INDEX ix_drill_cards_owner_id_due ON drill_cards (owner_id, due);
CREATE UNIQUE INDEX uq_drill_cards_owner_id_item_id ON drill_cards (owner_id, item_id);
CREATE UNIQUE INDEX uq_drill_cards_unowned_item_id ON drill_cards (item_id) WHERE owner_id IS NULL;
CREATE INDEX ix_shares_attempt_id ON shares (attempt_id);
CREATE INDEX ix_shares_cohort_id ON shares (cohort_id);
CREATE INDEX ix_shares_interview_id ON shares (interview_id);
CREATE INDEX ix_shares_owner_id ON shares (owner_id);
CREATE INDEX ix_share_links_share_id ON share_links (share_id);
CREATE INDEX ix_recordings_expires_at ON recordings (expires_at);
CREATE INDEX ix_recordings_owner_id ON recordings (owner_id);
CREATE INDEX ix_comments_attempt_id ON comments (attempt_id);
CREATE INDEX ix_comments_author_id ON comments (author_id);
CREATE INDEX ix_comments_parent_id ON comments (parent_id);
CREATE INDEX ix_rubric_scores_attempt_id ON rubric_scores (attempt_id);
CREATE INDEX ix_rubric_scores_author_id ON rubric_scores (author_id);
CREATE INDEX ix_corrections_attempt_id ON corrections (attempt_id);
CREATE INDEX ix_corrections_author_id ON corrections (author_id);
CREATE INDEX ix_reviews_reviewer_id ON reviews (reviewer_id);
CREATE INDEX ix_bank_versions_author_id ON bank_versions (author_id);
CREATE INDEX ix_jobs_owner_id ON jobs (owner_id);
CREATE INDEX ix_jobs_state_id ON jobs (state, id);
CREATE INDEX ix_audit_actor_id ON audit (actor_id);
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_job_inputs_attempt_id ON job_inputs (attempt_id);
CREATE INDEX ix_ended_sessions_account_id ON ended_sessions (account_id);
CREATE INDEX ix_ended_sessions_until ON ended_sessions (until);
CREATE INDEX ix_answer_facts_owner_id_created_at ON answer_facts (owner_id, created_at, attempt_id);
CREATE INDEX ix_shares_shown ON shares (cohort_id, owner_id, attempt_id, interview_id, revoked_at);
CREATE INDEX ix_attempts_owner_id_interview_id ON attempts (owner_id, interview_id);
CREATE INDEX ix_answer_facts_corrected ON answer_facts (owner_id) WHERE corrections > 0;
CREATE INDEX ix_recovery_codes_account_id ON recovery_codes (account_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('reports',4);
INSERT INTO "sqlite_sequence" VALUES('attempts',3);
INSERT INTO "sqlite_sequence" VALUES('drill_reviews',3);
INSERT INTO "sqlite_sequence" VALUES('accounts',2);
INSERT INTO "sqlite_sequence" VALUES('shares',1);
INSERT INTO "sqlite_sequence" VALUES('comments',1);
INSERT INTO "sqlite_sequence" VALUES('jobs',1);
COMMIT;
