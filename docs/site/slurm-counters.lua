-- slurm-counters.lua - for slurm.conf's JobSubmitPlugins=lua, as job_submit.lua: a job with
-- the feature 'counters' gets its nodes alone, since slurm-counters.sh opens counters on
-- them that see everybody's work.
local function wants_counters(job)
   return ("," .. (job.features or "") .. ","):find("[,&]counters[,&]") ~= nil
end

function slurm_job_submit(job, partitions, uid)
   if wants_counters(job) and job.shared ~= 0 then
      slurm.log_user("the feature 'counters' needs whole nodes: add --exclusive")
      return slurm.ERROR
   end
   return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, uid)
   if wants_counters(job) and record.shared ~= 0 then
      slurm.log_user("the feature 'counters' needs whole nodes")
      return slurm.ERROR
   end
   return slurm.SUCCESS
end
